import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest'
import { type DemoService, startDemoService } from '#cli/demo/demo-server.ts'
import { chainEvents } from '#test/support/chain-lines.ts'
import { awaiting, ended, parkRun, postAlert, type RunBody } from '#test/support/recovery.ts'
import { startTestService, type TestService } from '#test/support/service.ts'

const rule = (on_resolved: string) => `- name: ${on_resolved}-it
  on: alert
  match: { service: "${on_resolved}-*" }
  run: sre/service-recovery
  on_resolved: ${on_resolved}
  inputs: { url: "\${{ alert.labels.url }}" }
`

let service: TestService
let demo: DemoService

beforeAll(async () => {
  service = await startTestService({
    postgres_url: inject('postgres_url'),
    temporal_address: inject('temporal_address'),
    files: { 'rules/recovery.yaml': rule('withdraw') + rule('cancel') },
  })
  demo = await startDemoService()
})
afterAll(async () => {
  await demo.stop()
  await service.stop()
})
beforeEach(async () => void (await fetch(`${demo.url}/fault`, { method: 'POST' })))

interface Dismissal {
  dismissed: string[]
  skipped: { run_id: string; why: string }[]
  token?: string
  code?: string
}

const dismiss = (body: object) => service.call<Dismissal>('POST', '/approvals/dismiss', body)

interface Recorded {
  run_id?: string
  action: string
  category: string
  data: Record<string, unknown>
}

function auditOf(id: string): Recorded[] {
  return chainEvents<Recorded>(service.home).filter((event) => event.run_id === id)
}

describe('a condition that has cleared', () => {
  test('withdraws the gate that waits, where the rule says so, and the record says why', async () => {
    const id = await parkRun(service, demo, 'withdraw-1')
    const { body } = await postAlert(service, demo, { status: 'resolved', name: 'withdraw-1' })
    expect(body.results[0]).toMatchObject({ outcome: 'resolved', run_id: id })
    expect(await ended(service, id)).toMatchObject({ status: 'expired', status_reason: 'condition_cleared' })
    expect(demo.state().actions).toEqual([])
    expect(auditOf(id).find(({ category }) => category === 'expiry')).toMatchObject({
      data: { cause: 'condition_cleared' },
    })
  })

  test('cancels the run, where the rule says that', async () => {
    const id = await parkRun(service, demo, 'cancel-1')
    await postAlert(service, demo, { status: 'resolved', name: 'cancel-1' })
    expect((await ended(service, id)).status).toBe('cancelled')
  })

  test('is only noted, where the rule says nothing', async () => {
    const id = await parkRun(service, demo, 'other-1')
    await postAlert(service, demo, { status: 'resolved', name: 'other-1' })
    expect((await awaiting(service, id)).status).toBe('awaiting_approval')
    await service.call('POST', `/runs/${id}/cancel`, {})
  })
})

describe('bulk dismissal', () => {
  test('shows first, and with the token of that dismisses exactly the same gates', async () => {
    const ids = await Promise.all([1, 2, 3].map((n) => parkRun(service, demo, `bulk-${n}`)))
    const seen = await dismiss({ run_ids: ids, reason: 'left over', dry_run: true })
    expect(seen.status).toBe(200)
    expect([...seen.body.dismissed].sort()).toEqual([...ids].sort())
    for (const id of ids)
      expect((await service.call<RunBody>('GET', `/runs/${id}`)).body.status).toBe('awaiting_approval')
    await service.call('POST', `/runs/${ids[0]}/resume`, { decision: 'reject' })
    await ended(service, ids[0] ?? '')
    const stale = await dismiss({ run_ids: ids, reason: 'left over', token: seen.body.token })
    expect(stale).toMatchObject({ status: 409, body: { code: 'plan_changed' } })
    const again = await dismiss({ run_ids: ids, reason: 'left over', token: stale.body.token })
    expect(again.body.dismissed.sort()).toEqual(ids.slice(1).sort())
    expect(again.body.skipped).toEqual([{ run_id: ids[0], why: 'not_stale' }])
    for (const id of ids.slice(1)) {
      expect(await ended(service, id)).toMatchObject({ status: 'expired', status_reason: 'dismissed' })
      expect(auditOf(id).find(({ category }) => category === 'expiry')?.data).toMatchObject({
        note: 'left over',
      })
    }
  })

  test('takes nothing that is younger than a day unless it is told to', async () => {
    const id = await parkRun(service, demo, 'young')
    expect((await dismiss({ pack: 'sre', reason: 'old' })).body.dismissed).toEqual([])
    expect((await dismiss({ pack: 'no-such-pack', older_than_hours: 0, reason: 'old' })).body.dismissed).toEqual([])
    expect(
      (await dismiss({ environment: 'development', older_than_hours: 0, reason: 'old' })).body.dismissed,
    ).toContain(id)
  })

  test('without a selector, and without a reason, is refused', async () => {
    expect(await dismiss({ reason: 'all of them' })).toMatchObject({ status: 422, body: { code: 'validation_failed' } })
    expect(await dismiss({ pack: 'sre' })).toMatchObject({ status: 422 })
    expect(await dismiss({ pack: 'sre', reason: 'x', everything: true })).toMatchObject({ status: 422 })
  })
})
