import { afterEach, describe, expect, it } from 'vitest'
import type { JsonObject } from '#core/json/json.ts'
import type { GateNotice } from '#core/notify/types.ts'
import { createEgressClient } from '#platform/egress/egress-client.ts'
import { type EmailSettings, email } from '#platform/notify/kinds/email.ts'
import { createSenders } from '#platform/notify/senders.ts'
import { resolveSecret } from '#platform/secrets.ts'
import { gateNotice, HOSTILE, resolvedNotice } from '#test/support/gate-notice.ts'
import { type SmtpSinkOptions, startSmtpSink } from '#test/support/smtp-sink.ts'

let sink: Awaited<ReturnType<typeof startSmtpSink>> | undefined
afterEach(async () => {
  await sink?.close()
  sink = undefined
})

async function open(options?: SmtpSinkOptions) {
  sink = await startSmtpSink(options)
  return sink
}

interface Sent {
  notice?: GateNotice
  address?: string
  previous?: JsonObject | undefined
  channel?: Partial<EmailSettings>
}

function send({ notice = gateNotice(), address = 'oncall@example.test', previous, channel = {} }: Sent = {}) {
  const env = { MAIL_USER: 'svc', MAIL_PASSWORD: 'p w', WRONG: 'wrong' }
  const senders = createSenders({
    egress: createEgressClient(),
    secret: (reference) => resolveSecret(reference, env),
    now: () => Date.now(),
    timeout_ms: 5_000,
  })
  const settings: EmailSettings = {
    name: 'mail',
    kind: 'email',
    smtp: sink?.url ?? 'smtp://127.0.0.1:1',
    from: 'Service <svc@example.test>',
    to: ['oncall@example.test'],
    ...channel,
  }
  return senders.send(email.open(settings), { address, notice, previous })
}

const referenceOf = (delivery: Awaited<ReturnType<typeof send>>) => (delivery.ok ? delivery.reference : undefined)

describe('the mail channel', () => {
  it('sends one mail to one address, as text and as HTML', async () => {
    const { received } = await open()
    expect(await send()).toEqual({
      ok: true,
      reference: { message_id: expect.stringMatching(/^<ntf_01hzx5\.[0-9a-f]{16}@example\.test>$/) },
    })
    const [mail] = received
    expect(mail).toMatchObject({ from: 'svc@example.test', to: ['oncall@example.test'] })
    expect(mail?.headers).toMatchObject({
      from: ['Service <svc@example.test>'],
      to: ['oncall@example.test'],
      subject: [
        '[high risk] sre/service-recovery in production — a step needs approval, answer by Sat 28 Nov 12:50 UTC (in 7 days)',
      ],
      'auto-submitted': ['auto-generated'],
      'content-type': [expect.stringMatching(/^multipart\/alternative/)],
    })
    const text = mail?.parts['text/plain'] ?? ''
    const html = mail?.parts['text/html'] ?? ''
    for (const part of [text, html]) {
      expect(part).toContain('Restart payments')
      expect(part).toContain('curl -X POST http://payments.internal/restart')
      expect(part).toContain('policy restarts requires a person')
      expect(part).toContain('Sat 28 Nov 12:50 UTC')
      expect(part).toContain('https://svc.example.test/triggers/approve/run_01?token=abc')
    }
  })

  it('every recipient has a mail and an id of their own, the same at every attempt', async () => {
    const { received } = await open()
    await send()
    await send()
    await send({ address: 'second@example.test' })
    const ids = received.map(({ headers }) => headers['message-id']?.[0])
    expect(ids[1]).toBe(ids[0])
    expect(ids[2]).not.toBe(ids[0])
  })

  it('later mails join the thread of the first', async () => {
    const { received } = await open()
    const opened = referenceOf(await send())
    const reminder = gateNotice({ id: 'ntf_01hzx7', kind: 'svc.gate.reminder' })
    const reminded = referenceOf(await send({ notice: reminder, previous: opened }))
    await send({ notice: resolvedNotice(), previous: reminded })
    const root = received[0]?.headers['message-id']
    expect(root).toHaveLength(1)
    for (const mail of received.slice(1)) {
      expect(mail.headers['in-reply-to']).toEqual(root)
      expect(mail.headers.references).toEqual(root)
      expect(mail.headers['message-id']).not.toEqual(root)
    }
  })

  it('a decided gate offers no link to decide', async () => {
    const { received } = await open()
    await send({ notice: resolvedNotice() })
    expect(received[0]?.headers.subject).toEqual([
      '[high risk] sre/service-recovery in production — a step approved by alice',
    ])
    for (const part of Object.values(received[0]?.parts ?? {})) {
      expect(part).toContain('Approved by alice at 13:05 UTC')
      expect(part).not.toContain('token=abc')
    }
  })

  it('text of others adds no header, no recipient and no markup', async () => {
    const { received } = await open()
    const notice = gateNotice({
      summary: HOSTILE,
      template: HOSTILE,
      environment: HOSTILE,
      step: HOSTILE,
      command: `curl '${HOSTILE}'`,
      because: [HOSTILE],
      requested_by: HOSTILE,
      run_id: HOSTILE,
    })
    await send({ notice })
    const [mail] = received
    expect(mail?.to).toEqual(['oncall@example.test'])
    expect(mail?.headers.bcc).toBeUndefined()
    expect(mail?.headers.subject).toHaveLength(1)
    const html = mail?.parts['text/html'] ?? ''
    expect(html).not.toMatch(/<img|<script|<[^>]*src=/i)
    expect(html).toContain('&lt;img')
    expect(html.match(/href="[^"]*"/g)).toEqual([
      'href="https://svc.example.test/triggers/approve/run_01?token=abc"',
      'href="https://svc.example.test/console/runs/run_01"',
      'href="https://svc.example.test/runs/run_01"',
    ])
  })

  it('a link that is no web address is left out', async () => {
    const { received } = await open()
    await send({ notice: gateNotice({ links: { approve: 'javascript:alert(1)', run: 'https://svc.example.test/r' } }) })
    expect(received[0]?.raw).not.toContain('javascript:')
  })

  it('letters of any language arrive', async () => {
    const { received } = await open()
    await send({ notice: gateNotice({ template: 'płatności 😀' }) })
    expect(received[0]?.headers.subject).toEqual([
      '[high risk] płatności 😀 in production — a step needs approval, answer by Sat 28 Nov 12:50 UTC (in 7 days)',
    ])
    expect(received[0]?.parts['text/plain']).toContain('płatności 😀')
  })

  it('logs in with the secrets of the channel', async () => {
    const { received } = await open({ login: { user: 'svc', pass: 'p w' } })
    const channel = { username: 'env:MAIL_USER', password: 'env:MAIL_PASSWORD' }
    expect(await send({ channel })).toMatchObject({ ok: true })
    expect(received[0]?.user).toBe('svc')
  })

  it('a password crosses no network without TLS', async () => {
    const { url, received, connected } = await open({ login: { user: 'svc', pass: 'p w' } })
    const smtp = `smtp://0.0.0.0:${new URL(url).port}`
    const channel = { smtp, username: 'env:MAIL_USER', password: 'env:MAIL_PASSWORD' }
    expect(await send({ channel })).toMatchObject({
      retryable: false,
      detail: expect.stringContaining('500 to STARTTLS'),
    })
    expect(connected).toEqual([undefined])
    expect(received).toEqual([])
  })

  it('a refused login is final and shows no secret', async () => {
    const { url } = await open({ login: { user: 'svc', pass: 'p w' } })
    const channel = { username: 'env:MAIL_USER', password: 'env:WRONG' }
    expect(await send({ channel })).toEqual({
      ok: false,
      retryable: false,
      detail: `${new URL(url).host} answered 535`,
    })
  })

  it('without its secrets it sends nothing', async () => {
    const { received } = await open()
    const channel = { username: 'env:MAIL_USER', password: 'env:MISSING' }
    expect(await send({ channel })).toEqual({
      ok: false,
      retryable: true,
      detail: 'the secret env:MISSING is not set',
    })
    expect(received).toEqual([])
  })

  it.each([
    ['rcpt', 450, true],
    ['rcpt', 550, false],
    ['data', 451, true],
    ['data', 554, false],
  ] as const)('a refusal at %s with %i is worth another try: %s', async (at, code, retryable) => {
    const { url, refuse } = await open()
    refuse({ at, code })
    expect(await send()).toEqual({ ok: false, retryable, detail: `${new URL(url).host} answered ${code}` })
  })

  it('a closed port is worth another try', async () => {
    const { url, close } = await open()
    await close()
    expect(await send({ channel: { smtp: url } })).toMatchObject({ ok: false, retryable: true })
    sink = undefined
  })
})
