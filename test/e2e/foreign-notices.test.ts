import { afterAll, beforeAll, beforeEach, describe, expect, inject, test, vi } from 'vitest'
import { type DemoService, startDemoService } from '#cli/demo/demo-server.ts'
import { type ForeignWorker, startForeignWorker } from '#test/support/foreign-worker.ts'
import { linkIn, type NotifiedService, startNotifiedService } from '#test/support/notified-service.ts'
import { PATIENCE } from '#test/support/patience.ts'
import { awaiting, ended, type RunBody } from '#test/support/recovery.ts'

const WORKSPACE = 'ws_00000000000000000000000000'
const MALLORY = 'mallory@elsewhere.test'

let notified: NotifiedService
let foreign: ForeignWorker
let demo: DemoService

beforeAll(async () => {
  const [postgres_url, temporal_address] = [inject('postgres_url'), inject('temporal_address')]
  notified = await startNotifiedService({ postgres_url, temporal_address })
  foreign = await startForeignWorker(notified.service, temporal_address)
  demo = await startDemoService()
})
afterAll(async () => {
  await foreign.stop()
  await demo.stop()
  await notified.stop()
})
beforeEach(async () => void (await fetch(`${demo.url}/fault`, { method: 'POST' })))

const db = () => notified.service.database.db
const mailsTo = (address: string) => notified.mail.received.filter(({ to }) => to.includes(address))
const kindsOf = async (subject_id: string) =>
  (
    await db()<{ kind: string }[]>`
      select kind from refusals where subject_id = ${subject_id} order by kind`
  ).map(({ kind }) => kind)

/** A run whose approvers have been told. */
async function park() {
  const { service } = notified
  const body = { inputs: { url: demo.url }, environment: 'development' }
  const run_id = (await service.call<RunBody>('POST', '/packs/sre/service-recovery/run', body)).body.id
  await awaiting(service, run_id)
  const [{ id: gate_id = '' } = {}] = await db()<{ id: string }[]>`select id from gates where run_id = ${run_id}`
  const reported = () => db()<{ id: number }[]>`
    select id from notice_deliveries where gate_id = ${gate_id} and status = 'delivered' order by id`
  await vi.waitFor(async () => expect(await reported()).toHaveLength(4), PATIENCE)
  return { gate: { gate_id, run_id, workspace_id: WORKSPACE }, notices: await reported() }
}

/** Only those who should know were told, and those who may decide still can. */
async function expectUntouched(run_id: string): Promise<void> {
  expect(mailsTo(MALLORY)).toEqual([])
  const { service, mail } = notified
  const mine = mail.received.find(({ raw, to }) => raw.includes(run_id) && to.includes('oncall@example.test'))
  const { url, code } = linkIn(mine ?? ({ parts: {}, raw: '', to: [], headers: {} } as never))
  const headers = { accept: 'application/json' }
  const { nonce } = (await (await fetch(url, { headers })).json()) as { nonce: string }
  const decided = await fetch(`${url}&decision=approve`, {
    headers: { ...headers, 'x-svc-confirm': nonce, 'x-svc-code': code },
  })
  expect(decided.status).toBe(200)
  expect(await ended(service, run_id)).toMatchObject({ status: 'succeeded' })
}

describe('a worker of somebody else', () => {
  test('has nobody told about a gate, no matter what it says of whom, where and what', async () => {
    const { gate, notices } = await park()
    const addressed = { ...gate, kind: 'opened', channel: 'mail', recipient: MALLORY }
    const asked = await Promise.all([
      foreign.ask('announceGate', addressed),
      foreign.ask('announceGate', { ...gate, notice_id: notices[0]?.id, recipient: MALLORY }),
      foreign.ask('announceGate', { ...gate, notice_id: notices[0]?.id }),
      foreign.ask('planNotices', { ...gate, kind: 'escalated' }),
      foreign.ask('planNotices', gate),
    ])
    expect(asked.map((each) => 'failed' in each)).toEqual(asked.map(() => true))
    expect(await kindsOf(gate.run_id)).toEqual(['foreign_workflow', 'unknown_shape'])
    await expectUntouched(gate.run_id)
  })

  test('in the place of the gate’s own workflow has told what is due on record, and nothing else', async () => {
    const [{ gate }, other] = [await park(), await park()]
    const as = { id: `action-${gate.gate_id}`, type: 'actionV2' }
    const mails = () => notified.mail.received.filter(({ raw }) => raw.includes(gate.run_id)).length
    const before = mails()
    const addressed = { ...gate, kind: 'opened', channel: 'mail', recipient: MALLORY }
    expect(await foreign.ask('announceGate', addressed, { as })).toHaveProperty('failed')
    const theirs = { ...gate, notice_id: other.notices[0]?.id }
    expect(await foreign.ask('announceGate', theirs, { as })).toHaveProperty('failed')
    expect(await foreign.ask('announceGate', { ...gate, notice_id: 2 ** 40 }, { as })).toHaveProperty('failed')
    const planned = await foreign.ask('planNotices', gate, { as })
    expect(planned).toMatchObject({ result: { open: true, notices: [] } })
    expect(await kindsOf(gate.run_id)).toEqual(['unknown_notice', 'unknown_shape'])
    expect(mails()).toBe(before)
    await expectUntouched(gate.run_id)
  })

  test('ends the telling of no open gate', async () => {
    const { gate } = await park()
    // those of this run: the end of the run before may still be on its way
    const mails = () => notified.mail.received.filter(({ raw }) => raw.includes(gate.run_id))
    const before = mails().length
    const handle = notified.service.temporal.workflow.getHandle(`action-${gate.gate_id}`)
    await handle.signal('action.stand_down')
    await expectUntouched(gate.run_id)
    expect(await handle.result()).toMatchObject({ stood_down: true, delivered: { opened: 4, resolved: 4 } })
    expect(mails()).toHaveLength(before + 2)
  })

  test('fires no time of a schedule that has not come, and uses none up', async () => {
    const { service } = notified
    const draft = { cron: '0 0 29 2 *', pack: 'sre', template: 'service-recovery', inputs: { url: demo.url } }
    const made = await service.call<{ id: string }>('POST', '/triggers/scheduled', { name: 'leap', ...draft })
    const schedule_id = made.body.id
    const claim = { schedule_id, workspace_id: WORKSPACE, nominal_at: '2096-02-29T00:00:00Z' }
    const own = (nominal_at: string) => ({ id: `firing/${schedule_id}-${nominal_at}`, type: 'scheduleFiringV1' })
    const nominal_at = '2095-02-28T00:00:00Z'
    const asked = [
      await foreign.ask('fireSchedule', claim),
      await foreign.ask('fireSchedule', claim, { as: own('2092-02-29T00:00:00Z') }),
      await foreign.ask('fireSchedule', claim, { as: own(claim.nominal_at) }),
      await foreign.ask('fireSchedule', { ...claim, nominal_at }, { as: own(nominal_at) }),
      await foreign.ask('fireSchedule', { ...claim, now: nominal_at }, { as: own(claim.nominal_at) }),
    ]
    expect(asked.map((each) => 'failed' in each)).toEqual(asked.map(() => true))
    const handle = await service.temporal.workflow.start('scheduleFiringV1', {
      ...{
        workflowId: own('2088-02-29T00:00:00Z').id,
        taskQueue: 'ledger',
        args: [{ schedule_id, workspace_id: WORKSPACE }],
      },
    })
    await expect(handle.result()).rejects.toThrow()
    expect(await kindsOf(schedule_id)).toEqual(['foreign_workflow', 'not_due', 'unknown_shape'])
    expect(await db()`select from schedule_firings where schedule_id = ${schedule_id}`).toEqual([])
    expect(await db()`select from runs where provenance #>> '{trigger,schedule_id}' = ${schedule_id}`).toEqual([])
    const drafts = await db()<{ subject: object }[]>`
      select draft -> 'subject' as subject from audit_outbox
      where draft ->> 'action' = 'claim.refused' and draft #>> '{subject,id}' = ${schedule_id} and draft ? 'run_id'`
    expect(drafts).toEqual([])
  })
})
