import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { createRunStore, type RunStore } from '#store/runs/runs.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { ids, runDraft } from '#test/support/run-drafts.ts'

let database: TestDatabase
let runs: RunStore
beforeAll(async () => {
  database = await createTestDatabase(inject('postgres_url'))
  runs = createRunStore(database.db)
})
afterAll(() => database.drop())

test('what is refused to one is counted and reported apart from what is refused to another', async () => {
  const refused = async (who: string, more: number) => {
    const draft = {
      ...runDraft().audit,
      ...{ id: ids.next('audit'), action: 'gate.refused', subject: { type: 'gate', id: 'gate_1' }, data: {} },
      actor: { type: 'user', id: who, auth: 'jwt' } as const,
    }
    await runs.appendRefusals([{ kind: 'conflict', draft, more }])
  }
  const reported = async () => {
    const rows = await database.db<{ who: string; times: number }[]>`
      select draft #>> '{actor,id}' as who, (draft #>> '{data,times}')::int as times from audit_outbox order by id`
    return rows.map(({ who, times }) => [who, times])
  }
  await refused('usr_ann', 1)
  await refused('usr_ann', 2)
  await refused('usr_bob', 1)
  expect(await reported()).toEqual([
    ['usr_ann', 1],
    ['usr_bob', 1],
  ])
  await database.db`update refusals set reported_at = reported_at - interval '61 seconds'`
  await refused('usr_ann', 0)
  await refused('usr_bob', 0)
  expect((await reported()).slice(2)).toEqual([['usr_ann', 2]])
})
