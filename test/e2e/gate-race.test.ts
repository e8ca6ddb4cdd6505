import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { type DemoService, startDemoService } from '#cli/demo/demo-server.ts'
import { chainEvents } from '#test/support/chain-lines.ts'
import { ended, eventsOf, parkRun, type RunBody } from '#test/support/recovery.ts'
import { startTestService, type TestService } from '#test/support/service.ts'

let service: TestService
let demo: DemoService

beforeAll(async () => {
  service = await startTestService({
    postgres_url: inject('postgres_url'),
    temporal_address: inject('temporal_address'),
    env: { SVC_APPROVAL_TTL_HOURS: String(60 / 3_600) },
  })
  demo = await startDemoService()
})
afterAll(async () => {
  await demo.stop()
  await service.stop()
})

const OUTCOME: Record<string, string> = {
  approved: 'succeeded',
  rejected: 'rejected',
  expired: 'expired',
  cancelled: 'cancelled',
}

async function breakDemo(): Promise<void> {
  await fetch(`${demo.url}/fault`, { method: 'POST' })
}

describe('one gate, a hundred decisions', () => {
  test('of 100 mixed decisions at once exactly one wins, the rest get 409, and the record holds one approval', async () => {
    await breakDemo()
    const before = demo.state().actions.length
    const id = await parkRun(service, demo, 'race-1')
    const decisions = Array.from({ length: 100 }, (_, n) => {
      if (n % 25 === 7) return service.call('POST', `/runs/${id}/cancel`, { reason: 'race' })
      if (n % 25 === 13) return service.call('POST', `/runs/${id}/expire`, { reason: 'race' })
      return service.call('POST', `/runs/${id}/resume`, {
        decision: n % 2 === 0 ? 'approve' : 'reject',
        approver: `usr_${n}`,
      })
    })
    const replies = await Promise.all(decisions)
    const decided = replies.filter((reply, n) => reply.status < 300 && n % 25 !== 7)
    expect(replies.filter((reply) => reply.status >= 500)).toEqual([])
    expect(decided.length).toBeLessThanOrEqual(1)
    for (const reply of replies) expect([200, 202, 409]).toContain(reply.status)

    const run = await ended(service, id)
    const events = await eventsOf(service, id)
    const resolved = events.filter((event) => event.type === 'gate.resolved' || event.type === 'gate.expired')
    expect(resolved).toHaveLength(1)
    const outcome = String(resolved[0]?.data['status'])
    // a cancellation that came after an approval still stops the run it was meant for
    expect([OUTCOME[outcome], 'cancelled']).toContain(run.status)
    const approvals = (await auditOf(id)).filter(
      (event) => event.action === 'gate.decided' && event.data['status'] === 'approved',
    )
    expect(approvals).toHaveLength(outcome === 'approved' ? 1 : 0)
    const after = demo.state().actions.length
    if (outcome !== 'approved') expect(after).toBe(before)
  })

  test('twenty gates, each with ten approvals and ten rejections: one outcome each, database and engine agree', async () => {
    await breakDemo()
    const ids = await Promise.all(Array.from({ length: 20 }, (_, n) => parkRun(service, demo, `race-many-${n}`)))
    const replies = await Promise.all(
      ids.flatMap((id) =>
        Array.from({ length: 20 }, async (_, n) => ({
          id,
          decision: n % 2 === 0 ? 'approve' : 'reject',
          reply: await service.call('POST', `/runs/${id}/resume`, {
            decision: n % 2 === 0 ? 'approve' : 'reject',
            approver: `usr_${n}`,
          }),
        })),
      ),
    )
    for (const id of ids) {
      const winners = replies.filter((each) => each.id === id && each.reply.status === 200)
      expect(winners).toHaveLength(1)
      const run = await ended(service, id)
      expect(run.status).toBe(winners[0]?.decision === 'approve' ? 'succeeded' : 'rejected')
      expect(await service.temporal.workflow.getHandle(id).result()).toEqual({ status: run.status })
    }
    expect(replies.filter((each) => each.reply.status >= 500)).toEqual([])
  })
})

async function auditOf(id: string): Promise<{ action: string; data: Record<string, unknown> }[]> {
  await service.until<RunBody>(`/runs/${id}`, () => true)
  return chainEvents<{ run_id?: string; action: string; data: Record<string, unknown> }>(service.home).filter(
    (event) => event.run_id === id,
  )
}
