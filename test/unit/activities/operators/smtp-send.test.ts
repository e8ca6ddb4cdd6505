import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { credentialTexts } from '#activities/operators/http/target.ts'
import { createSmtpSend } from '#activities/operators/smtp/send.ts'
import type { JsonObject } from '#core/json/json.ts'
import { createEgressClient } from '#platform/egress/egress-client.ts'
import { createMailer } from '#platform/mail/send-mail.ts'
import { operatorContext } from '#test/support/operator-context.ts'
import { type SmtpSinkOptions, startSmtpSink } from '#test/support/smtp-sink.ts'
import { startTestCa } from '#test/support/test-ca.ts'

const PASSWORD = 'Pw55 RtYu81Ac'
const login = { user: 'ann', pass: PASSWORD }
const egress = createEgressClient({ lookup: async () => [{ address: '127.0.0.1', family: 4 }] })
const mail = createMailer()
let sink: Awaited<ReturnType<typeof startSmtpSink>> | undefined
let ca: Awaited<ReturnType<typeof startTestCa>>
let tls: { cert: string; key: string }

beforeAll(async () => {
  ca = await startTestCa()
  tls = await ca.issue(['DNS:mail.test'])
})
afterAll(() => ca.stop())
afterEach(async () => {
  await sink?.close()
  sink = undefined
})

async function open(options?: SmtpSinkOptions) {
  sink = await startSmtpSink(options)
  return { ...sink, port: Number(new URL(sink.url).port) }
}

const DRAFT = {
  connection: 'mail',
  from: 'Access <access@example.test>',
  to: ['ann@example.test', 'bob@example.test'],
  subject: 'Your access énds',
  text: 'Soon.\n.\nBye.',
}
const contextOf = (url: string, changes: Parameters<typeof operatorContext>[0] = {}) =>
  operatorContext({ egress: ['loopback'], connections: { mail: url }, ...changes })
const near = (port: number) => `smtp://127.0.0.1:${port}?tls=none`

async function run(
  url: string,
  input: JsonObject = {},
  { mailer = mail, ...changes }: Parameters<typeof operatorContext>[0] & { mailer?: typeof mail } = {},
) {
  const operator = createSmtpSend({ egress, mail: mailer })
  return (await operator.execute(contextOf(url, changes), operator.parse({ ...DRAFT, ...input }))).outputs
}

describe('smtp.send', () => {
  it('hands over one plain text mail with an id of its run and step', async () => {
    const { port, received } = await open()
    expect(await run(near(port), { reply_to: 'help@example.test' })).toEqual({
      message_id: '<run_1.act@example.test>',
      accepted: DRAFT.to,
      rejected: [],
      answer: '250 OK: message queued',
    })
    await run(near(port), {}, { attempt: 2 })
    expect(received.map(({ headers }) => headers['message-id'])).toEqual([
      ['<run_1.act@example.test>'],
      ['<run_1.act@example.test>'],
    ])
    expect(received[0]).toMatchObject({ from: 'access@example.test', to: DRAFT.to })
    expect(received[0]?.headers).toMatchObject({
      from: ['Access <access@example.test>'],
      to: ['ann@example.test, bob@example.test'],
      'reply-to': ['help@example.test'],
      subject: ['Your access énds'],
      'auto-submitted': ['auto-generated'],
      'content-type': ['text/plain; charset=utf-8'],
    })
    expect(received[0]?.raw).toContain('Soon.\r\n.\r\nBye.')
  })

  it.each([
    ['STARTTLS', 'smtp', false],
    ['TLS from the first byte', 'smtps', true],
  ])('signs in by %s at a server whose certificate it knows', async (_what, scheme, implicit) => {
    const { port, received, connected } = await open({ tls: { ...tls, implicit }, login })
    const url = `${scheme}://ann:${encodeURIComponent(PASSWORD)}@mail.test:${port}`
    const changes = { egress: ['mail.test'], mailer: createMailer({ ca: ca.certificate }) }
    expect(await run(url, {}, changes)).toMatchObject({ accepted: DRAFT.to })
    expect([received[0]?.user, connected]).toEqual(['ann', [PASSWORD]])
  })

  it.each([
    ['whose certificate it does not know', 'mail.test', () => mail],
    ['that is another one', 'other.test', () => createMailer({ ca: ca.certificate })],
  ])('shows its password to no server %s', async (_what, host, mailer) => {
    const { port, received, connected } = await open({ tls, login })
    const url = `smtp://ann:${encodeURIComponent(PASSWORD)}@${host}:${port}`
    const failed = {
      code: 'unreachable',
      retryable: false,
      message: expect.stringContaining('makes no TLS connection'),
    }
    await expect(run(url, {}, { egress: [host], mailer: mailer() })).rejects.toMatchObject(failed)
    expect([received, connected.filter((each) => each !== undefined)]).toEqual([[], []])
  })

  it('shows its password to no server without TLS', async () => {
    const { port, connected } = await open({ login })
    const failed = { code: 'unreachable', retryable: false }
    await expect(run(`smtp://ann:x@127.0.0.1:${port}`)).rejects.toMatchObject(failed)
    expect(connected).toEqual([undefined])
    const elsewhere = createEgressClient({ lookup: async () => [{ address: '192.0.2.1', family: 4 }] })
    const operator = createSmtpSend({ egress: elsewhere, mail })
    const ctx = contextOf('smtp://ann:x@mail.test:25?tls=none', { egress: ['192.0.2.0/24'] })
    await expect(operator.execute(ctx, operator.parse(DRAFT))).rejects.toMatchObject({
      code: 'egress_denied',
      message: expect.stringContaining('without TLS'),
    })
  })

  it('says what the server says of a login, and gives the password away nowhere', async () => {
    const { port } = await open({ login })
    const url = `smtp://ann:${encodeURIComponent('wrong one')}@127.0.0.1:${port}?tls=none`
    const error = await run(url).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({
      ...{ code: 'login_refused', retryable: false, unknown_outcome: false },
      message: `127.0.0.1:${port} refuses the sign-in: 535 Invalid login`,
    })
    expect(JSON.stringify(error) + String(error)).not.toContain('wrong one')
    expect(credentialTexts({ kind: 'smtp', url })).toEqual(
      expect.arrayContaining(['wrong one', Buffer.from('\0ann\0wrong one').toString('base64')]),
    )
  })

  it.each([
    ['rcpt', 450, true],
    ['rcpt', 550, false],
    ['data', 451, true],
    ['data', 554, false],
  ] as const)('a refusal at %s with %i is final, and worth another try: %s', async (at, code, retryable) => {
    const { port, refuse } = await open()
    refuse({ at, code })
    await expect(run(near(port))).rejects.toMatchObject({
      ...{ code: 'message_refused', retryable, unknown_outcome: false },
      message: `127.0.0.1:${port} refuses the mail: ${code} not today`,
      details: { message_id: '<run_1.act@example.test>', status: code },
    })
  })

  it('names the recipients that the server refused while it took others', async () => {
    const { port, received, refuse } = await open()
    refuse({ at: 'rcpt', code: 550, address: 'bob@example.test' })
    expect(await run(near(port))).toMatchObject({
      accepted: ['ann@example.test'],
      rejected: [{ address: 'bob@example.test', answer: '550 not today' }],
    })
    expect(received[0]?.to).toEqual(['ann@example.test'])
  })

  it('does not know what became of a message whose answer was lost, and is not repeated', async () => {
    const { port, received, refuse } = await open()
    refuse({ at: 'end' })
    await expect(run(near(port))).rejects.toMatchObject({
      ...{ code: 'connection_lost', retryable: false, unknown_outcome: true },
      details: { message_id: '<run_1.act@example.test>' },
    })
    expect(received).toHaveLength(1)
    const operator = createSmtpSend({ egress, mail })
    expect(operator.replay(operator.parse(DRAFT))).toBe('ask')
  })

  it('sends nothing where it may not act, or where nobody listens', async () => {
    const { port, received, connected, close } = await open()
    const beforeSending = () => Promise.reject(new Error('halted'))
    await expect(run(near(port), {}, { beforeSending })).rejects.toThrow('halted')
    await expect(run(near(port), {}, { egress: [] })).rejects.toMatchObject({ code: 'egress_denied' })
    await expect(run(near(port), {}, { signal: AbortSignal.abort() })).rejects.toThrow(/abort/)
    expect([received, connected.length]).toEqual([[], 1])
    await close()
    sink = undefined
    await expect(run(near(port))).rejects.toMatchObject({ code: 'unreachable', retryable: true })
  })

  it('shows the whole mail, and a dry run asks no server', async () => {
    const { port, connected } = await open()
    const operator = createSmtpSend({ egress, mail })
    const input = operator.parse(DRAFT)
    const text = [
      'From: Access <access@example.test>',
      'To: ann@example.test, bob@example.test',
      'Subject: Your access énds',
      'Message-ID: <run_1.act@example.test>',
      '',
      DRAFT.text,
    ].join('\n')
    expect(operator.describe(input, { idempotency_key: 'run_1:act' })).toEqual({
      summary: 'send “Your access énds” to ann@example.test, bob@example.test through mail',
      targets: { kind: 'mail', ids: DRAFT.to },
      command: text,
    })
    const simulated = await operator.simulate?.(contextOf(near(port)), input)
    expect(simulated).toMatchObject({ ok: true, details: { mail: text } })
    expect(await operator.simulate?.(contextOf(near(port), { egress: [] }), input)).toMatchObject({ ok: false })
    expect(connected).toEqual([])
  })

  it.each<JsonObject>([
    { subject: 'Hello\r\nBcc: eve@example.test' },
    { subject: 'Hello\u2028there' },
    { from: 'Access\r\nBcc: eve@example.test <access@example.test>' },
    { from: 'access@example.test, eve@example.test' },
    { to: ['ann@example.test\r\nRCPT TO:<eve@example.test>'] },
    { to: ['ann@example.test, eve@example.test'] },
    { to: [] },
    { to: Array.from({ length: 51 }, (_, n) => `u${n}@example.test`) },
    { reply_to: 'help@example.test>\n' },
    { text: 'a\u0000b' },
    { bcc: ['eve@example.test'] },
  ])('refuses %j', (input) => {
    const operator = createSmtpSend({ egress, mail })
    expect(() => operator.parse({ ...DRAFT, ...input })).toThrow(expect.objectContaining({ code: 'validation_failed' }))
  })

  it('takes no connection to another kind of system', () => {
    const operator = createSmtpSend({ egress, mail })
    const input = operator.parse(DRAFT)
    for (const url of ['https://mail.test/', 'postgres://db.test/app', 'nothing'])
      expect(() => operator.applyConnection?.(input, { kind: 'http', url })).toThrow(
        expect.objectContaining({ code: 'connection_kind' }),
      )
  })
})
