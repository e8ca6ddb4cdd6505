import { createHash } from 'node:crypto'
import { isIP } from 'node:net'
import { createTransport } from 'nodemailer'
import type { JsonObject } from '#core/json.ts'
import type { Delivery, EmailChannel, GateNotice, Recipient } from '#core/notify/types.ts'
import { mailBody } from './mail-body.ts'

export interface EmailSenderDeps {
  /** throws `not_configured` */
  secret(reference: string): string
  timeout_ms: number
}

/**
 * Sends a notice to one address by SMTP. `previous` is the `reference` of the mail that opened the gate; later mails join its
 * thread (RFC 5322 section 3.6.4).
 */
export async function sendEmail(
  deps: EmailSenderDeps,
  channel: EmailChannel,
  recipient: Recipient,
  notice: GateNotice,
  previous?: JsonObject,
): Promise<Delivery> {
  const messageId = `<${mailToken(notice.id, recipient.address)}@${domainOf(channel.from)}>`
  const thread = typeof previous?.message_id === 'string' ? previous.message_id : undefined
  const transport = createTransport(transportOptions(deps, channel))
  try {
    await transport.sendMail({
      from: channel.from,
      to: { name: '', address: recipient.address },
      messageId,
      ...(thread === undefined ? {} : { inReplyTo: thread, references: [thread] }),
      headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
      ...mailBody(notice),
      disableFileAccess: true,
      disableUrlAccess: true,
    })
    return { ok: true, reference: { message_id: thread ?? messageId } }
  } catch (error) {
    return failed(new URL(channel.smtp).host, error)
  } finally {
    transport.close()
  }
}

function transportOptions(deps: EmailSenderDeps, { smtp, username, password }: EmailChannel) {
  const url = new URL(smtp)
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const secure = url.protocol === 'smtps:'
  const auth =
    username === undefined || password === undefined
      ? undefined
      : { user: deps.secret(username), pass: deps.secret(password) }
  return {
    host,
    port: url.port === '' ? (secure ? 465 : 587) : Number(url.port),
    secure,
    // a password crosses a network only inside TLS
    requireTLS: auth !== undefined && !secure && !isLoopback(host),
    ...(auth === undefined ? {} : { auth }),
    connectionTimeout: deps.timeout_ms,
    greetingTimeout: deps.timeout_ms,
    socketTimeout: deps.timeout_ms,
  }
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))
}

/** The same for every attempt, and different for each recipient: their mails differ by the link. */
function mailToken(id: string, address: string): string {
  const digest = createHash('sha256').update(`${id}\n${address.toLowerCase()}`).digest('hex').slice(0, 16)
  return `${id.replace(/[^A-Za-z0-9._-]/g, '-')}.${digest}`
}

function domainOf(from: string): string {
  return from.slice(from.lastIndexOf('@') + 1).replace(/[>\s]+$/, '')
}

/** The answer of a server may quote anything; only its code is kept. RFC 5321 section 4.2.1: 5yz is final, 4yz is not. */
function failed(host: string, error: unknown): Delivery {
  if (!(error instanceof Error)) throw error
  const responseCode =
    'responseCode' in error && typeof error.responseCode === 'number' ? error.responseCode : undefined
  const code = 'code' in error ? String(error.code) : undefined
  if (responseCode !== undefined) {
    const isFinal = responseCode >= 500 && responseCode !== 503
    return {
      ok: false,
      retryable: !isFinal,
      detail: `${host} answered ${responseCode}${code === 'ETLS' ? ' to STARTTLS' : ''}`,
    }
  }
  if (code === undefined) throw error
  return { ok: false, retryable: !FINAL_CODES.has(code), detail: `${host}: mail was not accepted (${code})` }
}

/** Failures of the message or the configuration itself: sending it again changes nothing. */
const FINAL_CODES = new Set(['EENVELOPE', 'EMESSAGE', 'ECONFIG', 'EAUTH', 'ENOAUTH', 'EFILEACCESS', 'EURLACCESS'])
