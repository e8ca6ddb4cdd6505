import { z } from 'zod'
import { isLoopback } from '#core/egress/classify.ts'
import { bareHost } from '#core/egress/url.ts'
import type { SendResult } from '#core/notify/types.ts'
import { MailAddress, MailSender, senderDomain } from '#core/text/mail-address-schema.ts'
import { createMailer, MailFailure, type MailServer } from '#platform/mail/send-mail.ts'
import { sha256 } from '../../sha256.ts'
import { type ChannelPorts, defineChannelKind, type Message } from '../channel-kind.ts'
import { ChannelName, MaxPerMinute, SecretReference } from '../channel-settings.ts'
import { mailBody } from '../mail-body.ts'

const mailer = createMailer()

const Settings = z
  .strictObject({
    name: ChannelName,
    kind: z.literal('email'),
    // `smtps://` is TLS from the first byte
    smtp: z
      .string()
      .refine(isSmtpUrl, 'smtp://host:port or smtps://host:port; credentials go to username and password'),
    from: MailSender,
    to: z.array(MailAddress).min(1).max(50),
    username: SecretReference.exactOptional(),
    password: SecretReference.exactOptional(),
    max_per_minute: MaxPerMinute.exactOptional(),
  })
  .refine((channel) => (channel.username === undefined) === (channel.password === undefined), {
    path: ['username'],
    error: 'username and password go together',
  })
export type EmailSettings = z.output<typeof Settings>

export const email = defineChannelKind({
  kind: 'email',
  settings: Settings,
  max_per_minute: 10,
  secrets: ({ username, password }) => [username, password].filter((reference) => reference !== undefined),
  addresses: ({ to }) => to,
  reaches_people: true,
  host: ({ smtp }) => new URL(smtp).hostname,
  send,
})

function isSmtpUrl(text: string): boolean {
  return /^smtps?:\/\/(\[[0-9a-f:.]+\]|[^\s/@?#:[\]]+)(:\d{1,5})?\/?$/i.test(text) && URL.canParse(text)
}

/**
 * Sends a notice to one address by SMTP. `previous` is the `reference` of the mail that opened the gate; later mails join its
 * thread (RFC 5322 section 3.6.4).
 */
async function send(
  ports: ChannelPorts,
  channel: EmailSettings,
  { address, notice, previous }: Message,
): Promise<SendResult> {
  const messageId = `<${mailToken(notice.id, address)}@${senderDomain(channel.from)}>`
  const thread = typeof previous?.message_id === 'string' ? previous.message_id : undefined
  try {
    await mailer.send(serverOf(ports, channel), {
      from: channel.from,
      to: { name: '', address: address },
      messageId,
      ...(thread !== undefined && { inReplyTo: thread, references: [thread] }),
      headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
      ...mailBody(notice),
    })
    return { ok: true, reference: { message_id: thread ?? messageId } }
  } catch (error) {
    return failed(new URL(channel.smtp).host, error)
  }
}

function serverOf(ports: ChannelPorts, { smtp, username, password }: EmailSettings): MailServer {
  const url = new URL(smtp)
  const host = bareHost(url.hostname)
  const secure = url.protocol === 'smtps:'
  const login =
    username === undefined || password === undefined
      ? undefined
      : { user: ports.secret(username), pass: ports.secret(password) }
  // a password crosses a network only inside TLS
  const open = login === undefined || isLoopback(host) ? 'if_offered' : 'starttls'
  return {
    host,
    port: url.port === '' ? (secure ? 465 : 587) : Number(url.port),
    tls: secure ? 'implicit' : open,
    ...(login !== undefined && { login }),
    timeout_ms: ports.timeout_ms,
  }
}

/** The same for every attempt, and different for each recipient: their mails differ by the link. */
function mailToken(id: string, address: string): string {
  const digest = sha256(`${id}\n${address.toLowerCase()}`).slice(0, 16)
  return `${id.replace(/[^A-Za-z0-9._-]/g, '-')}.${digest}`
}

/** The answer of a server may quote anything; only its code is kept. RFC 5321 section 4.2.1: 5yz is final, 4yz is not. */
function failed(host: string, error: unknown): SendResult {
  if (!(error instanceof MailFailure)) throw error
  const { response_code: responseCode, code } = error
  if (responseCode !== undefined) {
    const isFinal = responseCode >= 500 && responseCode !== 503
    return {
      ok: false,
      retryable: !isFinal,
      detail: `${host} answered ${responseCode}${code === 'ETLS' ? ' to STARTTLS' : ''}`,
    }
  }
  return { ok: false, retryable: !FINAL_CODES.has(code), detail: `${host}: mail was not accepted (${code})` }
}

/** Failures of the message or the configuration itself: sending it again changes nothing. */
const FINAL_CODES = new Set(['EENVELOPE', 'EMESSAGE', 'ECONFIG', 'EAUTH', 'ENOAUTH', 'EFILEACCESS', 'EURLACCESS'])
