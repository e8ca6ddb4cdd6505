import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { JsonObject } from '#core/json/json.ts'
import type { Notice } from '#core/notify/types.ts'
import { createEgressClient } from '#platform/egress/egress-client.ts'
import { slack as kind, type SlackSettings } from '#platform/notify/kinds/slack.ts'
import { createSenders } from '#platform/notify/senders.ts'
import { resolveSecret } from '#platform/secrets.ts'
import { digestNotice } from '#test/support/digest-notice.ts'
import { gateNotice, HOSTILE, resolvedNotice } from '#test/support/gate-notice.ts'
import { startSlackEmulator } from '#test/support/slack-emulator.ts'

const TOKEN = 'xoxb-emulated'
const env = { BOT: TOKEN, OTHER: 'xoxb-other', SIGNING: 's' }

let slack: Awaited<ReturnType<typeof startSlackEmulator>>
beforeEach(async () => {
  slack = await startSlackEmulator(TOKEN)
})
afterEach(() => slack.close())

function send(notice: Notice = gateNotice(), previous?: JsonObject, changes: Partial<SlackSettings> = {}) {
  const senders = createSenders({
    egress: createEgressClient(),
    secret: (reference) => resolveSecret(reference, env),
    now: () => Date.now(),
    timeout_ms: 5_000,
  })
  const channel: SlackSettings = {
    name: 'chat',
    kind: 'slack',
    channel: '#ops',
    token: 'env:BOT',
    signing_secret: 'env:SIGNING',
    api_url: slack.api_url,
    ...changes,
  }
  return senders.send(kind.open(channel), { address: channel.channel, notice, previous })
}

/** The reference of a message that must have been sent. */
async function sent(...args: Parameters<typeof send>): Promise<JsonObject> {
  const delivery = await send(...args)
  expect(delivery).toMatchObject({ ok: true })
  return delivery.ok ? (delivery.reference ?? {}) : {}
}

const reminder = gateNotice({ id: 'ntf_01hzx7', kind: 'svc.gate.reminder' })
const kinds = (post: { blocks: Record<string, unknown>[] } | undefined) => post?.blocks.map(({ type }) => type)
const actionsOf = (post: { blocks: Record<string, unknown>[] } | undefined) =>
  post?.blocks.flatMap((block) => (block.type === 'actions' && Array.isArray(block.elements) ? block.elements : []))

describe('the Slack channel', () => {
  it('posts what is asked with buttons that name the run, the gate and the plan', async () => {
    expect(await sent()).toEqual({ channel: 'C0OPS00001', ts: '1700000000.000001' })
    const [post] = slack.posts
    expect(post?.text).toBe(
      '[high risk] sre/service-recovery in production — a step needs approval, answer by Sat 28 Nov 12:50 UTC (in 7 days) · Restart payments',
    )
    expect(kinds(post)).toEqual(['header', 'section', 'section', 'section', 'section', 'actions'])
    const shown = JSON.stringify(post?.blocks)
    for (const part of ['Restart payments', 'alertmanager', 'Sat 28 Nov 12:50 UTC', 'sha256:abab', 'curl -X POST']) {
      expect(shown).toContain(part)
    }
    const value = JSON.stringify({
      run_id: 'run_01',
      gate_id: 'gate_01',
      plan_hash: `sha256:${'ab'.repeat(32)}`,
      channel: 'chat',
    })
    expect(actionsOf(post)).toMatchObject([
      { action_id: 'gate.approve', style: 'primary', value },
      { action_id: 'gate.reject', style: 'danger', value },
      { action_id: 'gate.open', url: 'https://svc.example.test/triggers/approve/run_01?token=abc' },
    ])
  })

  it('without a magic link the link leads to the run', async () => {
    await sent(gateNotice({ links: { run: 'https://svc.example.test/runs/run_01' } }))
    expect(actionsOf(slack.posts[0])?.at(-1)).toMatchObject({ url: 'https://svc.example.test/runs/run_01' })
  })

  it('a reminder is a reply, and only an escalation is shown to the whole channel again', async () => {
    const opened = await sent()
    expect(await sent(reminder, opened)).toEqual(opened)
    await sent(gateNotice({ kind: 'svc.gate.escalated' }), opened)
    expect(slack.posts.map(({ thread_ts }) => thread_ts)).toEqual([undefined, opened.ts, opened.ts])
    expect(slack.calls.map(({ args }) => args.reply_broadcast)).toEqual([undefined, 'false', 'true'])
  })

  it('an escalation to another channel stands for itself', async () => {
    await sent(gateNotice({ kind: 'svc.gate.escalated' }))
    expect(actionsOf(slack.posts[0])).toHaveLength(3)
  })

  it('a decision takes the buttons away and is told in the thread', async () => {
    const opened = await sent()
    await sent(resolvedNotice(), opened)
    const [root, reply] = slack.posts
    expect(slack.calls.map(({ method }) => method)).toEqual(['chat.postMessage', 'chat.update', 'chat.postMessage'])
    expect(actionsOf(root)).toMatchObject([{ action_id: 'gate.open', url: expect.not.stringContaining('token=') }])
    expect(JSON.stringify(root?.blocks)).toContain('Approved by alice at 13:05 UTC')
    expect(reply?.thread_ts).toBe(opened.ts)
    expect(JSON.stringify(reply?.blocks)).toContain('Approved by alice')
  })

  it('a digest is kept up to date in one message, and what draws attention is also told in its thread', async () => {
    const first = await sent(digestNotice())
    expect(await sent(digestNotice({ first: [] }, 'svc.digest.changed'), first)).toEqual(first)
    expect(slack.calls.map(({ method }) => method)).toEqual(['chat.postMessage', 'chat.update'])
    await sent(digestNotice(), first)
    expect(slack.calls.slice(2).map(({ method }) => method)).toEqual(['chat.update', 'chat.postMessage'])
    expect(slack.calls.at(-1)?.args).toMatchObject({ thread_ts: first.ts, reply_broadcast: 'true' })
    expect(JSON.stringify(slack.posts[0]?.blocks)).toContain(
      '• [critical] shop: checkout down in production (high risk)',
    )
  })

  it('when somebody deleted the message, the update gets one of its own', async () => {
    const opened = await sent()
    slack.forget()
    await sent(resolvedNotice(), opened)
    await sent(reminder, opened)
    expect(slack.posts.map(({ thread_ts }) => thread_ts)).toEqual([undefined, undefined])
  })

  it('a failed run has no buttons to decide', async () => {
    await sent(gateNotice({ kind: 'svc.run.failed', gate_id: null, plan_hash: null }))
    expect(actionsOf(slack.posts[0])).toMatchObject([{ action_id: 'gate.open' }])
  })

  it('text of others mentions nobody, links nowhere and breaks out of nothing', async () => {
    await sent(
      gateNotice({
        summary: HOSTILE,
        template: HOSTILE,
        environment: HOSTILE,
        requested_by: '<!here> @channel *bold*',
        because: [HOSTILE],
        command: 'echo ```\n<!channel> <@U0ADMIN>',
      }),
    )
    const args = slack.calls[0]?.args
    const wire = `${args?.text} ${args?.blocks}`
    expect(wire).not.toMatch(/[<>]/)
    expect(wire.match(/```/g)).toHaveLength(2)
    expect(args).toMatchObject({ parse: 'none', link_names: 'false', unfurl_links: 'false', unfurl_media: 'false' })
    const markdown = slack.posts[0]?.blocks.filter((block) => JSON.stringify(block).includes('"mrkdwn"'))
    expect(markdown).toHaveLength(1)
    expect(markdown).toMatchObject([{ text: { verbatim: true } }])
  })

  it('a flood keeps within the limits of Block Kit', async () => {
    const flood = '<&>'.repeat(20_000)
    await sent(
      gateNotice({
        summary: flood,
        template: flood,
        environment: flood,
        step: flood,
        requested_by: flood,
        command: flood,
        because: Array.from({ length: 50 }, () => flood),
        links: {
          approve: `https://svc.example.test/${'a'.repeat(4_000)}`,
          run: 'https://svc.example.test/runs/run_01',
        },
      }),
    )
    const resolution = { status: 'rejected', by: flood, at: flood, note: flood }
    await sent(resolvedNotice({ resolution }), { channel: 'C0OPS00001', ts: '1700000000.000001' })
  })

  it('nothing to say is no reason to be refused', async () => {
    await sent(gateNotice({ summary: '', because: [], command: '', step: null, requested_by: null, expires_at: null }))
  })

  it('the token travels in the header alone', async () => {
    await sent()
    expect(slack.calls[0]?.raw).not.toContain(TOKEN)
  })

  it.each([
    ['channel_not_found', false],
    ['is_archived', false],
    ['ratelimited', true],
    ['internal_error', true],
  ])('the refusal %s is worth another try: %s', async (error, retryable) => {
    slack.answer({ error })
    expect(await send()).toEqual({ ok: false, retryable, detail: `Slack refused: ${error}` })
    expect(slack.calls).toHaveLength(1)
  })

  it('a token of somebody else is refused for good', async () => {
    expect(await send(gateNotice(), undefined, { token: 'env:OTHER' })).toEqual({
      ok: false,
      retryable: false,
      detail: 'Slack refused: invalid_auth',
    })
  })

  it('slows down as long as Slack asks, without waiting itself', async () => {
    slack.answer({ status: 429, headers: { 'retry-after': '30' } }, { status: 429 })
    expect(await send()).toEqual({
      ok: false,
      retryable: true,
      detail: 'Slack asks to slow down',
      retry_after_ms: 30_000,
    })
    expect(await send()).toEqual({ ok: false, retryable: true, detail: 'Slack asks to slow down' })
    expect(slack.calls).toHaveLength(2)
  })

  it.each([
    [{ status: 503 }, true, 'Slack answered 503'],
    [{ status: 404 }, false, 'Slack answered 404'],
    [{ status: 302, headers: { location: 'http://127.0.0.1:1/' } }, false, 'Slack answered 302'],
    [{ status: 200, body: '<html>' }, true, 'Slack answered with something that is not its Web API'],
  ])('an answer that is none: %j', async (answer, retryable, detail) => {
    slack.answer(answer)
    expect(await send()).toEqual({ ok: false, retryable, detail })
    expect(slack.calls).toHaveLength(1)
  })

  it('waits as long as a gateway that is away asks', async () => {
    slack.answer({ status: 503, headers: { 'retry-after': '7' } })
    expect(await send()).toEqual({ ok: false, retryable: true, detail: 'Slack answered 503', retry_after_ms: 7_000 })
  })

  it('a closed port is worth another try', async () => {
    const { api_url } = slack
    await slack.close()
    expect(await send(gateNotice(), undefined, { api_url })).toEqual({
      ok: false,
      retryable: true,
      detail: 'Slack cannot be reached (unreachable)',
    })
    slack = await startSlackEmulator(TOKEN)
  })

  it('without its signing secret nobody could answer, so it sends nothing', async () => {
    expect(await send(gateNotice(), undefined, { signing_secret: ['env:SIGNING', 'env:MISSING'] })).toEqual({
      ok: false,
      retryable: true,
      detail: 'the secret env:MISSING is not set',
    })
    expect(slack.calls).toEqual([])
  })
})
