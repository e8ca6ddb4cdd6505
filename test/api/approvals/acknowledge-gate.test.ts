import { beforeAll, describe, expect, it } from 'vitest'
import { PendingApproval } from '#core/run/approval-schema.ts'
import { GateRemarks } from '#core/run/remark-schema.ts'
import { WaitingGate } from '#core/run/waiting-gate-schema.ts'
import type { UserRow } from '#store/users.ts'
import { codeOf } from '#test/support/auth-api.ts'
import { testDatabase } from '#test/support/file-fixture.ts'
import { itIsGuarded } from '#test/support/guarded-operation.ts'
import { testSealedApi } from '#test/support/sealed-api.ts'
import { admitTestRun, parkTestRun } from '#test/support/test-runs.ts'
import { addApiKey, addUser, bearer } from '#test/support/users.ts'

itIsGuarded('acknowledgeGate')

const database = testDatabase()
const api = testSealedApi(database)
let ann: UserRow
let asAnn: Record<string, string>
beforeAll(async () => {
  ann = await addUser(api.deps, { roles: ['approver'] })
  asAnn = await bearer(api.deps, ann)
})

const acknowledge = async (gate: string, headers = asAnn) =>
  await api.post(`/approvals/${gate}/acknowledge`, undefined, headers)
async function parked(): Promise<[run: string, gate: string]> {
  const run = await admitTestRun(api)
  return [run, await parkTestRun(api, run)]
}

describe('POST /approvals/{id}/acknowledge', () => {
  it('others see who looks at a gate, in the queue and beside what is approved; it is no vote', async () => {
    const [run, gate] = await parked()
    const operator = await bearer(api.deps, await addUser(api.deps, { roles: ['operator'] }))
    const first = GateRemarks.parse(await (await acknowledge(gate)).json())
    expect(first).toMatchObject({ run_id: run, gate_id: gate, acknowledged: [{ by: ann.id }], comments: [] })
    expect((await acknowledge(gate, operator)).status).toBe(200)
    const pending = PendingApproval.parse(await (await api.get(`/runs/${run}/pending-approval`, operator)).json())
    expect(pending.acknowledged.map(({ by }) => by)).toEqual([ann.id, expect.stringMatching(/^usr_/)])
    expect(pending).toMatchObject({ decisions: [], missing: { approvals: 1 } })
    const queue = WaitingGate.array().parse(await (await api.get('/approvals', operator)).json())
    expect(queue.find(({ gate_id }) => gate_id === gate)?.acknowledged).toEqual(pending.acknowledged)
  })

  it('is an event that streams carry, and on record, once a person', async () => {
    const [run, gate] = await parked()
    await acknowledge(gate)
    await acknowledge(gate)
    const { events } = (await (await api.get(`/runs/${run}/events`, asAnn)).json()) as { events: { type: string }[] }
    expect(events.filter(({ type }) => type === 'gate.acknowledged')).toMatchObject([
      { step: 'act', actor: { type: 'user', id: ann.id }, data: { gate_id: gate } },
    ])
    expect(
      await database.db`select draft from audit_outbox where draft ->> 'action' = 'gate.acknowledged' and run_id = ${run}`,
    ).toMatchObject([{ draft: { category: 'approval', actor: { id: ann.id }, subject: { type: 'gate', id: gate } } }])
  })

  it('a program looks at nothing, and an answered gate is not looked at any more', async () => {
    const [run, gate] = await parked()
    const { id } = await addUser(api.deps, { roles: ['service', 'operator'], scopes: ['approvals:on_behalf'] })
    const { headers } = await addApiKey(api.deps, id, { scopes: ['approvals:on_behalf'] })
    expect(await codeOf(await acknowledge(gate, headers))).toEqual([403, 'forbidden'])
    expect((await api.post(`/runs/${run}/resume`, { decision: 'reject' }, asAnn)).status).toBe(200)
    expect(await codeOf(await acknowledge(gate))).toEqual([409, 'gate_resolved'])
  })

  it('a gate has at most a hundred people who look at it', async () => {
    const [run, gate] = await parked()
    await api.runs.appendEvents(
      run,
      Array.from({ length: 100 }, (_, n) => ({
        key: `gate/${gate}/acknowledged/usr_${n}`,
        type: 'gate.acknowledged' as const,
        actor: { type: 'user', id: `usr_${n}`, display: 'x' },
        data: { gate_id: gate },
      })),
    )
    expect(await codeOf(await acknowledge(gate))).toEqual([409, 'conflict'])
  })
})
