import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createSlackPost } from '#activities/operators/slack/post.ts'
import type { JsonObject } from '#core/json/json.ts'
import { createEgressClient } from '#platform/egress/egress-client.ts'
import { startCanary } from '#test/support/canary.ts'
import { operatorContext } from '#test/support/operator-context.ts'
import { startSlackEmulator } from '#test/support/slack-emulator.ts'

const TOKEN = 'xoxb-Tk7wQx93LmZ0'
const operator = createSlackPost({ egress: createEgressClient() })
const DRAFT = { connection: 'slack', channel: '#ops', text: 'Rollback of shop' }
let slack: Awaited<ReturnType<typeof startSlackEmulator>>
beforeEach(async () => {
  slack = await startSlackEmulator(TOKEN)
})
afterEach(() => slack.close())

const urlOf = (base: string, token = TOKEN) => {
  const url = new URL(base)
  url.password = token
  return url.href
}
const contextOf = (changes: Parameters<typeof operatorContext>[0] = {}) =>
  operatorContext({ egress: ['loopback'], connections: { slack: urlOf(slack.api_url) }, ...changes })
const run = async (input: JsonObject = {}, changes: Parameters<typeof operatorContext>[0] = {}) =>
  (await operator.execute(contextOf(changes), operator.parse({ ...DRAFT, ...input }))).outputs

describe('slack.post', () => {
  it('posts, and answers in the thread of what it posted', async () => {
    const first = await run()
    expect(first).toEqual({ channel: 'C0OPS00001', ts: '1700000000.000001' })
    await run({ channel: String(first['channel']), thread_ts: String(first['ts']), text: 'Done' })
    expect(slack.posts).toMatchObject([{ text: 'Rollback of shop' }, { text: 'Done', thread_ts: first['ts'] }])
    expect(slack.calls.map(({ method }) => method)).toEqual(['chat.postMessage', 'chat.postMessage'])
  })

  it('mentions nobody and hides no link, wherever a value stands', async () => {
    const hostile = '<!channel> <@U1> <https://evil.test|here> &'
    const escaped = '&lt;!channel&gt; &lt;@U1&gt; &lt;https://evil.test|here&gt; &amp;'
    const text = { type: 'mrkdwn', text: hostile }
    await run({ text: hostile, blocks: [{ type: 'section', text, fields: [text] }] })
    const shown = { type: 'mrkdwn', text: escaped }
    expect(slack.posts).toMatchObject([{ text: escaped, blocks: [{ text: shown, fields: [shown] }] }])
    expect(slack.calls[0]?.args).toMatchObject({ parse: 'none', link_names: false, unfurl_links: false })
  })

  it.each<[string, JsonObject[]]>([
    ['a button', [{ type: 'actions', elements: [{ type: 'button', action_id: 'gate.approve' }] }]],
    ['a button beside a text', [{ type: 'section', text: { type: 'mrkdwn', text: 'a' }, accessory: {} }]],
    ['a picture', [{ type: 'image', image_url: 'https://evil.test/x.png', alt_text: 'x' }]],
    ['rich text', [{ type: 'rich_text', elements: [] }]],
    ['markup in a header', [{ type: 'header', text: { type: 'mrkdwn', text: 'a' } }]],
    ['too many blocks', Array.from({ length: 51 }, () => ({ type: 'divider' }))],
    [
      'too much text',
      Array.from({ length: 20 }, () => ({ type: 'section', text: { type: 'mrkdwn', text: 'x'.repeat(2_900) } })),
    ],
  ])('refuses %s', (_what, blocks) => {
    expect(() => operator.parse({ ...DRAFT, blocks })).toThrow(expect.objectContaining({ code: 'validation_failed' }))
  })

  it.each([
    { channel: '@ann' },
    { channel: 'https://x' },
    { text: '' },
    { text: 'x'.repeat(4_001) },
    { thread_ts: '1' },
  ])('refuses %j', (input) => {
    expect(() => operator.parse({ ...DRAFT, ...input })).toThrow(expect.objectContaining({ code: 'validation_failed' }))
  })

  it.each([
    ['channel_not_found', 'message_refused', false, false],
    ['ratelimited', 'message_refused', true, false],
    ['missing_scope', 'login_refused', false, false],
    ['internal_error', 'connection_lost', false, true],
    ['<p>Proxy</p>', 'answer_invalid', false, true],
  ])('takes %s of Slack for %s', async (error, code, retryable, unknown_outcome) => {
    slack.answer({ error })
    await expect(run()).rejects.toMatchObject({ code, retryable, unknown_outcome })
  })

  it.each([
    [429, { 'retry-after': '7' }, { retryable: true, unknown_outcome: false, retry_after_ms: 7_000 }],
    [503, { 'retry-after': '2' }, { retryable: true, unknown_outcome: false }],
    [503, {}, { retryable: false, unknown_outcome: true }],
    [502, {}, { retryable: false, unknown_outcome: true }],
    [404, {}, { retryable: false, unknown_outcome: false }],
    [307, { location: 'https://evil.test/' }, { retryable: false, unknown_outcome: false }],
  ])('after %i with %j it does what is safe', async (status, headers, failure) => {
    slack.answer({ status, headers })
    await expect(run()).rejects.toMatchObject({ code: 'http_status', details: { status }, ...failure })
    expect(slack.calls).toHaveLength(1)
  })

  it('does not know what became of a message whose answer was lost', async () => {
    const target = await startCanary((request) => request.socket.destroy())
    const connections = { slack: urlOf(`${target.url}/api/`) }
    await expect(run({}, { connections })).rejects.toMatchObject({ unknown_outcome: true, retryable: false })
    expect(target.requests).toHaveLength(1)
    await target.stop()
    await expect(run({}, { connections })).rejects.toMatchObject({ code: 'unreachable', retryable: true })
    expect(operator.replay(operator.parse(DRAFT))).toBe('ask')
  })

  it('posts nothing where it may not act, and gives the token away nowhere', async () => {
    const beforeSending = () => Promise.reject(new Error('halted'))
    await expect(run({}, { beforeSending })).rejects.toThrow('halted')
    const refused = await run({}, { egress: [] }).catch((error: unknown) => error)
    expect(refused).toMatchObject({ code: 'egress_denied' })
    expect(slack.calls).toEqual([])
    const connections = { slack: urlOf(slack.api_url, 'another') }
    const denied = await run({}, { connections }).catch((error: unknown) => error)
    expect(denied).toMatchObject({ code: 'login_refused', message: 'Slack refuses: invalid_auth' })
    expect(JSON.stringify([refused, denied])).not.toMatch(/xoxb|another/)
  })

  it('shows the request without the token, and a dry run posts nothing', async () => {
    const input = operator.parse(DRAFT)
    const connection = { ...(await contextOf().connection('slack')), id: 'slack' }
    const target = { kind: 'slack', host: 'slack.com' }
    const shown = operator.describe(input, { idempotency_key: 'k', connection: { ...connection, target } })
    expect(shown).toMatchObject({
      summary: 'post to #ops through slack (slack slack.com): Rollback of shop',
      targets: { kind: 'slack', ids: ['#ops'] },
    })
    expect(JSON.stringify(shown.command)).toContain('/api/chat.postMessage')
    expect(JSON.stringify(shown)).not.toContain(TOKEN)
    expect(await operator.simulate?.(contextOf(), input)).toMatchObject({ ok: true })
    expect(await operator.simulate?.(contextOf({ egress: [] }), input)).toMatchObject({ ok: false })
    expect(slack.calls).toEqual([])
  })
})
