import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, test, vi } from 'vitest'
import { type DemoService, startDemoService } from '#cli/demo/demo-server.ts'
import { linkIn, type NotifiedService, SLACK_SIGNING, startNotifiedService } from '#test/support/notified-service.ts'
import { PATIENCE } from '#test/support/patience.ts'
import { awaiting, ended, eventsOf, type RunBody } from '#test/support/recovery.ts'
import { slackRequest } from '#test/support/slack-app.ts'

let notified: NotifiedService
let demo: DemoService

beforeAll(async () => {
  notified = await startNotifiedService({
    postgres_url: inject('postgres_url'),
    temporal_address: inject('temporal_address'),
  })
})
afterAll(() => notified?.stop())
beforeEach(async () => {
  demo = await startDemoService()
  await fetch(`${demo.url}/fault`, { method: 'POST' })
})
afterEach(() => demo.stop())

async function park(environment = 'development'): Promise<string> {
  const { service } = notified
  const body = { inputs: { url: demo.url }, environment }
  const { id } = (await service.call<RunBody>('POST', '/packs/sre/service-recovery/run', body)).body
  await awaiting(service, id)
  return id
}

const mailsOf = (runId: string) => notified.mail.received.filter(({ raw }) => raw.includes(runId))
/** whom it went to and what happened, without what it is about and until when */
const subjects = (runId: string) =>
  mailsOf(runId).map(
    ({ headers, to }) => `${to[0]}: ${/ — (.*?)(, answer by .*)?$/.exec(headers['subject']?.[0] ?? '')?.[1]}`,
  )
const hooksOf = (runId: string) => notified.hook.received.filter(({ event }) => event?.subject === runId)
const postsOf = (runId: string) =>
  notified.slack.posts.filter((post) => JSON.stringify(post.blocks).includes(runId) && post.thread_ts === undefined)

async function reported(runId: string): Promise<void> {
  await vi.waitFor(() => {
    expect(mailsOf(runId)).toHaveLength(2)
    expect(hooksOf(runId)).toHaveLength(1)
    expect(postsOf(runId)).toHaveLength(1)
  }, PATIENCE)
}

const resume = (id: string, decision: string) => notified.service.call('POST', `/runs/${id}/resume`, { decision })

describe('a gate that people are told about', () => {
  test('reaches mail, webhook and chat, and each of them is told how it ended', async () => {
    const id = await park()
    await reported(id)
    const [event] = hooksOf(id)
    expect(event).toMatchObject({ verified: true, event: { type: 'svc.gate.opened' } })
    expect(subjects(id).sort()).toEqual([
      'oncall@example.test: restart needs approval',
      'second@example.test: restart needs approval',
    ])
    const links = mailsOf(id).map((each) => linkIn(each))
    expect(new Set(links.map(({ url }) => url)).size).toBe(2)
    expect(new Set(links.map(({ code }) => code)).size).toBe(2)
    for (const { url, code } of links) expect(url).not.toContain(code)

    expect((await resume(id, 'approve')).status).toBe(200)
    await ended(notified.service, id)
    await vi.waitFor(() => {
      expect(hooksOf(id).map(({ event }) => event?.type)).toEqual([
        'svc.gate.opened',
        'svc.gate.resolved',
        'svc.run.succeeded',
      ])
      expect(subjects(id)).toContain('oncall@example.test: restart approved by usr_local')
      expect(subjects(id)).toContain('second@example.test: restart approved by usr_local')
      expect(JSON.stringify(postsOf(id)[0]?.blocks)).not.toContain('gate.approve')
    }, PATIENCE)
    const result = await notified.service.temporal.workflow.getHandle(`action-${await gateOf(id)}`).result()
    expect(result).toMatchObject({ stood_down: true, delivered: { opened: 4, resolved: 4 } })
  })

  test('is decided by the link of a mail with the code of that mail', async () => {
    const id = await park()
    await reported(id)
    const [mine, other] = mailsOf(id).map((each) => linkIn(each))
    const headers = { accept: 'application/json' }
    const seen = (await (await fetch(mine?.url ?? '', { headers })).json()) as { nonce: string }
    const decide = (code: string) =>
      fetch(`${mine?.url}&decision=approve`, {
        headers: { ...headers, 'x-svc-confirm': seen.nonce, 'x-svc-code': code },
      })
    expect((await decide(other?.code ?? '')).status).toBe(403)
    expect((await decide(mine?.code ?? '')).status).toBe(200)
    await ended(notified.service, id)
    const decision = (await eventsOf(notified.service, id)).find(({ type }) => type === 'gate.decision')
    expect(decision?.data).toMatchObject({ decision: 'approve', channel: 'magic_link' })
    expect((await (await fetch(other?.url ?? '', { headers })).json()) as object).toMatchObject({ state: 'decided' })
  })

  test('is decided by the button of a chat message', async () => {
    const id = await park()
    await reported(id)
    const blocks = JSON.stringify(postsOf(id)[0]?.blocks)
    const value: unknown = JSON.parse(
      `"${/"action_id":"gate.reject".*?"value":"((?:[^"\\]|\\.)*)"/.exec(blocks)?.[1]}"`,
    )
    const payload = {
      type: 'block_actions',
      user: { id: 'U0ALICE', username: 'alice' },
      trigger_id: '1.2.3',
      channel: { id: 'C0OPS00001' },
      actions: [{ action_id: 'gate.reject', value }],
    }
    const answer = await fetch(
      `${notified.service.url}/triggers/slack/chat`,
      slackRequest(payload, { secret: SLACK_SIGNING }),
    )
    expect(answer.status).toBe(200)
    expect((await ended(notified.service, id)).status).toBe('rejected')
    await vi.waitFor(() => expect(JSON.stringify(postsOf(id)[0]?.blocks)).toContain('slack:alice'), PATIENCE)
  })

  test('goes to a mail server that comes back, and the other channels do not wait for it', async () => {
    notified.mail.refuse({ at: 'rcpt', code: 451 })
    const id = await park()
    await vi.waitFor(() => {
      expect(hooksOf(id)).toHaveLength(1)
      expect(postsOf(id)).toHaveLength(1)
    }, PATIENCE)
    const failed = () => notified.service.database.db`
      select from notice_deliveries d join gates g on g.id = d.gate_id
      where g.run_id = ${id} and d.channel = 'mail' and d.status = 'failed' and d.detail like '%451%'`
    await vi.waitFor(async () => expect(await failed()).toHaveLength(2), PATIENCE)
    expect(mailsOf(id)).toEqual([])
    notified.mail.refuse(undefined)
    await reported(id)
    await resume(id, 'reject')
  })

  test('is told after it was recorded, never inside: the row is written before anybody is told', async () => {
    const id = await park()
    const rows = await notified.service.database.db<{ kind: string; before: boolean }[]>`
      select n.kind, n.created_at <= g.opened_at as before from gate_notices n join gates g on g.id = n.gate_id
      where n.run_id = ${id}`
    expect(rows).toEqual([{ kind: 'opened', before: true }])
    await reported(id)
    await resume(id, 'reject')
    const noted = await notified.service.database.db<{ kind: string }[]>`
      select kind from gate_notices where run_id = ${id} order by id`
    expect(noted.map(({ kind }) => kind)).toEqual(['opened', 'resolved', 'ended'])
  })

  test('reminds, escalates, and carries no link where its environment allows none', async () => {
    const id = await park('staging')
    await vi.waitFor(() => {
      expect(subjects(id).filter((each) => each.includes('still waits'))).toHaveLength(2)
      expect(subjects(id)).toContain('boss@example.test: escalated: restart needs approval, nobody has decided')
    }, PATIENCE)
    for (const { raw } of mailsOf(id)) expect(raw).not.toMatch(/triggers\/approve|Code for the link/)
    await resume(id, 'reject')
    await vi.waitFor(() => expect(subjects(id).filter((each) => each.includes('rejected'))).toHaveLength(3), PATIENCE)
  })
})

describe('the end of a run', () => {
  test('is told in the conversation of its gate, and what was approved and failed is escalated', async () => {
    const id = await park()
    await reported(id)
    await demo.stop()
    await resume(id, 'approve')
    expect((await ended(notified.service, id)).status).toBe('failed')
    await vi.waitFor(() => {
      expect(hooksOf(id).map(({ event }) => event?.type)).toEqual([
        'svc.gate.opened',
        'svc.gate.resolved',
        'svc.run.failed',
      ])
      expect(
        subjects(id)
          .filter((each) => each.includes('restart failed'))
          .sort(),
      ).toEqual([
        'boss@example.test: restart failed (unreachable)',
        'oncall@example.test: restart failed (unreachable)',
        'second@example.test: restart failed (unreachable)',
      ])
      const replies = notified.slack.posts.filter(({ thread_ts }) => thread_ts === postsOf(id)[0]?.ts)
      expect(replies.map(({ text }) => text).join()).toMatch(/restart approved.*restart failed \(unreachable\)/s)
    }, PATIENCE)
    const [opened] = mailsOf(id).filter(({ to }) => to[0] === 'oncall@example.test')
    const last = mailsOf(id).findLast(({ to }) => to[0] === 'oncall@example.test')
    expect(last?.headers['in-reply-to']).toEqual(opened?.headers['message-id'])
    expect(hooksOf(id).at(-1)).toMatchObject({
      verified: true,
      event: {
        subject: id,
        data: { run_id: id, ended: { status: 'failed', error: { code: 'unreachable', step: 'act' } } },
      },
    })
    const { status } = await notified.service.temporal.workflow.getHandle(id).describe()
    expect(status.name).toBe('FAILED')
  })

  test('of which nobody decided anything is told to whom its environment names, and to nobody else', async () => {
    await demo.stop()
    const body = { inputs: { url: demo.url }, environment: 'sandbox' }
    const { id } = (await notified.service.call<RunBody>('POST', '/packs/sre/service-recovery/run', body)).body
    expect((await ended(notified.service, id)).status).toBe('failed')
    await vi.waitFor(() => {
      expect(subjects(id)).toEqual(['boss@example.test: the run failed (unreachable)'])
      expect(hooksOf(id).map(({ event }) => event?.type)).toEqual(['svc.run.failed'])
    }, PATIENCE)
    expect(postsOf(id)).toEqual([])
  })
})

async function gateOf(runId: string): Promise<string> {
  const [row] = await notified.service.database.db<{ id: string }[]>`select id from gates where run_id = ${runId}`
  return row?.id ?? ''
}
