import { describe, expect, it } from 'vitest'
import { AuditCheckpoint } from '#core/audit/record-schema.ts'
import { testApi } from '#test/support/api-client.ts'
import { chainWaiting } from '#test/support/chain-waiting.ts'
import { testDatabase } from '#test/support/file-fixture.ts'
import { itIsGuarded } from '#test/support/guarded-operation.ts'
import { admitTestRun } from '#test/support/test-runs.ts'

itIsGuarded('getAuditCheckpoint')

const database = testDatabase()
const api = testApi(database)

describe('GET /console/api/audit/checkpoint', () => {
  const read = async () => AuditCheckpoint.parse(await (await api.get('/console/api/audit/checkpoint')).json())

  it('says where the chain ends, and what is wrong with the log', async () => {
    expect(await read()).toEqual({ seq: 0, hash: '0'.repeat(64) })
    await admitTestRun(api)
    const { seq, hash } = await chainWaiting(database.db)
    expect(await read()).toEqual({ seq, hash, ts: expect.any(String) })
    await database.db`
      insert into audit_file (problem, problem_seq, found_at) values ('Record 1 is another', 1, now())
      on conflict (one) do update set problem = excluded.problem, problem_seq = 1, found_at = now()`
    expect((await read()).problem).toEqual({ seq: 1, detail: 'Record 1 is another' })
  })
})
