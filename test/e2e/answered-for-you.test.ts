import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest'
import { type DemoService, startDemoService } from '#cli/demo/demo-server.ts'
import { AUTH_ENV, createIdentities, letAnswer, type Member } from '#test/support/identity.ts'
import { type NotifiedService, startNotifiedService } from '#test/support/notified-service.ts'
import { PATIENCE } from '#test/support/patience.ts'

let notified: NotifiedService
let demo: DemoService
let owner: Member
let starter: Member
let ann: Member
let bot: Member

beforeAll(async () => {
  demo = await startDemoService()
  await fetch(`${demo.url}/fault`, { method: 'POST' })
  notified = await startNotifiedService({
    postgres_url: inject('postgres_url'),
    temporal_address: inject('temporal_address'),
    env: AUTH_ENV,
    approval: ', min_approvals: 2, prevent_self: false',
  })
  const people = await createIdentities(notified.service)
  owner = people.owner
  // the account was invited by the owner, so it answers nothing that the owner asks for
  starter = await people.add('starter', { roles: ['operator'] })
  ann = await people.add('ann', { roles: ['approver'] })
  bot = await people.add('bot', { roles: ['service'], scopes: ['approvals:on_behalf'], display_name: 'Answer bot' })
  await letAnswer(notified.service, bot, ann)
})
afterAll(async () => {
  await notified?.stop()
  await demo?.stop()
})

interface Pending {
  gate_id?: string
}

async function park(): Promise<{ run: string; gate: string }> {
  const { service } = notified
  const body = { inputs: { url: demo.url }, environment: 'development' }
  const start = '/packs/sre/service-recovery/run'
  const { id } = (await service.call<{ id: string }>('POST', start, body, starter.headers)).body
  const pending = () => service.call<Pending>('GET', `/runs/${id}/pending-approval`, undefined, owner.headers)
  await vi.waitFor(async () => expect((await pending()).body.gate_id).toMatch(/^gate_/), PATIENCE)
  return { run: id, gate: (await pending()).body.gate_id ?? '' }
}

const mailsTo = (address: string, run: string) =>
  notified.mail.received.filter(({ to, raw }) => to.includes(address) && raw.includes(run))

test('a person is told by mail while the gate is still open, once, and asked for nothing', async () => {
  const { service } = notified
  const { run, gate } = await park()
  const answer = { decision: 'approve', approver: ann.email }
  expect((await service.call('POST', `/runs/${run}/resume`, answer, bot.headers)).status).toBe(200)
  await vi.waitFor(() => expect(mailsTo(ann.email, run)).toHaveLength(1), PATIENCE)
  const [mail] = mailsTo(ann.email, run)
  expect(mail?.headers['subject']?.[0]).toContain('restart approved in your name by Answer bot')
  expect(mail?.parts['text/plain']).toContain('Answer bot has answered this gate in your name (approve) at ')
  expect(mail?.parts['text/plain']).toContain(`/runs/${run}`)
  expect(mail?.raw).not.toContain('/triggers/approve/')
  // it is written down a moment after the mail has arrived
  await vi.waitFor(async () => {
    const { body } = await service.call<object[]>('GET', `/runs/${run}/deliveries`, undefined, owner.headers)
    expect(body).toContainEqual(
      expect.objectContaining({ kind: 'answered_for_you', channel: 'mail', recipient: ann.email, state: 'delivered' }),
    )
  }, PATIENCE)
  const reject = await service.call('POST', `/runs/${run}/resume`, { decision: 'reject' }, owner.headers)
  expect(reject.status).toBe(200)
  const result = await service.temporal.workflow.getHandle(`action-${gate}`).result()
  expect(result).toMatchObject({ stood_down: true, delivered: { opened: 4, answered_for_you: 1, resolved: 4 } })
  expect(mailsTo(ann.email, run)).toHaveLength(1)
})
