import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { PendingApproval } from '#core/run/approval-schema.ts'
import { testApi } from '#test/support/api-client.ts'
import { testDatabase } from '#test/support/file-fixture.ts'
import { itIsGuarded } from '#test/support/guarded-operation.ts'
import { createRecordDeps, createRecordEngine } from '#test/support/record-engine.ts'
import { admitTestRun, parkTestRun } from '#test/support/test-runs.ts'

itIsGuarded('pendingApproval')

const database = testDatabase()
const api = testApi(database, () => ({ services: { engine: createRecordEngine(createRecordDeps(database.db)) } }))

async function parkedRun() {
  const id = await admitTestRun(api)
  return { id, gate_id: await parkTestRun(api, id) }
}

describe('GET /runs/{id}/pending-approval', () => {
  it('answers exactly what is being approved, in the documented shape', async () => {
    const { id, gate_id } = await parkedRun()
    const response = await api.get(`/runs/${id}/pending-approval`)
    const shown = z.strictObject(PendingApproval.shape).parse(await response.json())
    expect(shown).toMatchObject({
      run_id: id,
      gate_id,
      step: 'act',
      allowed_decisions: ['approve', 'reject'],
      cost: { spent_usd: 0, cap_usd: 1, estimate_usd: 0 },
      because: ['policy'],
      requester: { id: 'usr_someone', display: 'Someone' },
      missing: { approvals: 1, roles: [], text: '1 more approval' },
    })
  })

  it('answers 409 when nothing waits and 404 for an unknown run', async () => {
    const id = await admitTestRun(api)
    expect(await (await api.get(`/runs/${id}/pending-approval`)).json()).toMatchObject({
      status: 409,
      code: 'run_not_awaiting',
    })
    expect((await api.get('/runs/run_00000000000000000000000000/pending-approval')).status).toBe(404)
  })
})
