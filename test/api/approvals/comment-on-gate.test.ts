import { beforeAll, describe, expect, it } from 'vitest'
import { PendingApproval } from '#core/run/approval-schema.ts'
import { WaitingGate } from '#core/run/waiting-gate-schema.ts'
import type { UserRow } from '#store/users.ts'
import { codeOf } from '#test/support/auth-api.ts'
import { testDatabase } from '#test/support/file-fixture.ts'
import { itIsGuarded } from '#test/support/guarded-operation.ts'
import { testSealedApi } from '#test/support/sealed-api.ts'
import { admitTestRun, parkTestRun } from '#test/support/test-runs.ts'
import { addUser, bearer } from '#test/support/users.ts'

itIsGuarded('commentOnGate')

const database = testDatabase()
const api = testSealedApi(database)
let ann: UserRow
let asAnn: Record<string, string>
beforeAll(async () => {
  ann = await addUser(api.deps, { roles: ['approver'] })
  asAnn = await bearer(api.deps, ann)
})

const comment = async (gate: string, text: unknown, headers: Record<string, string> = asAnn) =>
  await api.post(`/approvals/${gate}/comments`, { text }, headers)
async function parked(): Promise<[run: string, gate: string]> {
  const run = await admitTestRun(api)
  return [run, await parkTestRun(api, run)]
}
const pendingOf = async (run: string) =>
  PendingApproval.parse(await (await api.get(`/runs/${run}/pending-approval`, asAnn)).json())

describe('POST /approvals/{id}/comments', () => {
  it('is shown to approvers as plain text, and is no vote', async () => {
    const [run, gate] = await parked()
    expect((await comment(gate, ' maintenance until \u202e00:01 <b>now</b> ')).status).toBe(200)
    await comment(gate, 'it is over')
    const { comments, decisions, missing } = await pendingOf(run)
    expect(comments.map(({ by, text }) => [by, text])).toEqual([
      [ann.id, 'maintenance until \\u{202e}00:01 <b>now</b>'],
      [ann.id, 'it is over'],
    ])
    expect([decisions, missing.approvals]).toEqual([[], 1])
  })

  it('stands in the queue: how many there are, and the newest, cut short', async () => {
    const [run, gate] = await parked()
    for (const text of ['look at the disk', `\u202e${'x'.repeat(400)}`]) await comment(gate, text)
    const { comments } = await pendingOf(run)
    const queue = WaitingGate.array().parse(await (await api.get(`/approvals?q=${gate}`, asAnn)).json())
    expect(queue.map(({ comment_count, newest_comment }) => [comment_count, newest_comment])).toEqual([
      [2, { ...comments[1], text: `\\u{202e}${'x'.repeat(299)}…` }],
    ])
  })

  it('is an event and on record with its text', async () => {
    const [run, gate] = await parked()
    await comment(gate, 'look at the disk')
    const { events } = (await (await api.get(`/runs/${run}/events`, asAnn)).json()) as { events: object[] }
    expect(events.at(-1)).toMatchObject({
      ...{ type: 'gate.commented', step: 'act', actor: { id: ann.id } },
      data: { gate_id: gate, text: 'look at the disk' },
    })
    expect(
      await database.db`select draft from audit_outbox where draft ->> 'action' = 'gate.commented' and run_id = ${run}`,
    ).toMatchObject([{ draft: { category: 'approval', data: { step: 'act', text: 'look at the disk' } } }])
  })

  it('a repeat with the same key is one comment', async () => {
    const [run, gate] = await parked()
    const headers = { ...asAnn, 'idempotency-key': 'comment-1' }
    await comment(gate, 'once', headers)
    await comment(gate, 'once', headers)
    expect((await pendingOf(run)).comments).toHaveLength(1)
  })

  it.each(['', '   ', 'x'.repeat(2_001), 7, null])('refuses %j', async (text) => {
    const [, gate] = await parked()
    expect(await codeOf(await comment(gate, text))).toEqual([422, 'validation_failed'])
  })

  it('a gate that was answered takes no more, nor does one with two hundred', async () => {
    const [run, gate] = await parked()
    await api.runs.appendEvents(
      run,
      Array.from({ length: 200 }, (_, n) => ({
        key: `gate/${gate}/commented/${n}`,
        type: 'gate.commented' as const,
        actor: { type: 'user', id: 'usr_1', display: 'x' },
        data: { gate_id: gate, text: 'x' },
      })),
    )
    expect(await codeOf(await comment(gate, 'one more'))).toEqual([409, 'conflict'])
    expect((await api.post(`/runs/${run}/resume`, { decision: 'reject' }, asAnn)).status).toBe(200)
    expect(await codeOf(await comment(gate, 'one more'))).toEqual([409, 'gate_resolved'])
  })
})
