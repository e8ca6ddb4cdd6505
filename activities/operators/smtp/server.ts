import { type SmtpAddress, smtpAddress } from '#core/connection/kinds/smtp-schema.ts'
import { isLoopback } from '#core/egress/classify.ts'
import { bareHost } from '#core/egress/url.ts'
import { type Connection, type OperatorContext, OperatorError } from '#core/operator.ts'
import { cutText } from '#core/text/text.ts'
import type { EgressClient } from '#platform/egress/egress-client.ts'
import type { MailFailure, MailServer } from '#platform/mail/send-mail.ts'
import { cleanText } from '../clean-json.ts'

const TIMEOUT_MS = 15_000
const ANSWER_CHARS = 300
/** Codes of Node and OpenSSL for a certificate that is not accepted. */
const CERTIFICATE = /CERT|SIGNATURE|ALTNAME/

/** The input as it is, where its connection is one to a mail server. */
export function smtpOnly<Input extends { connection: string }>(input: Input, connection: Connection): Input {
  mustBeSmtp(input.connection, connection)
  return input
}

function mustBeSmtp(id: string, connection: Connection): SmtpAddress {
  const address = smtpAddress(connection.url)
  if (address !== undefined) return address
  throw new OperatorError('connection_kind', `connection ${id} (${connection.kind}) is not an smtp url`)
}

/** The server of a connection, at an address that the environment opens. */
export async function smtpServer(
  egress: EgressClient,
  ctx: Pick<OperatorContext, 'connection' | 'environment' | 'signal'>,
  id: string,
): Promise<MailServer> {
  const connection = await ctx.connection(id)
  const { host, port, tls, user, pass } = mustBeSmtp(id, connection)
  const { addresses } = await egress.resolve({
    url: `http://${host}:${port}/`,
    egress: ctx.environment.egress,
    signal: ctx.signal,
  })
  if (tls === 'none' && !addresses.every(isLoopback)) {
    throw new OperatorError('egress_denied', `${host} is another machine: mail does not go there without TLS`)
  }
  const [address] = addresses
  return {
    host: bareHost(host),
    port,
    tls,
    timeout_ms: TIMEOUT_MS,
    ...(address === undefined ? {} : { address }),
    ...(pass === '' ? {} : { login: { user, pass } }),
  }
}

/** Why a mail was not handed over. Once the message was on its way only an answer says that it was not taken. */
export function mailFailed(error: unknown, { host, port }: MailServer, message_id: string): unknown {
  if (!isMailFailure(error)) return error
  const { code, response_code, answer, began } = error
  const at = `${host}:${port}`
  const said = answer === undefined ? '' : `: ${shownAnswer(answer)}`
  const details = { message_id, ...(response_code === undefined ? {} : { status: response_code }) }
  if (began && (code !== 'EMESSAGE' || response_code === undefined)) {
    const message = `${at} did not say whether it took the message (${code})${said}`
    return new OperatorError('connection_lost', message, { unknown_outcome: true, details, cause: error })
  }
  const passing = response_code === undefined || response_code < 500
  if (code === 'EAUTH' || code === 'ENOAUTH') {
    return new OperatorError('login_refused', `${at} refuses the sign-in${said}`, {
      retryable: response_code !== undefined && passing,
      cost: {},
      details,
      cause: error,
    })
  }
  if (code === 'EENVELOPE' || code === 'EMESSAGE') {
    return new OperatorError('message_refused', `${at} refuses the mail${said || `: ${error.message}`}`, {
      retryable: response_code !== undefined && passing,
      details,
      cause: error,
    })
  }
  const tls = code === 'ETLS' || CERTIFICATE.test(error.system_code)
  const message = `${at}${tls ? ' makes no TLS connection' : ''}: ${shownAnswer(error.message)}`
  return new OperatorError('unreachable', message, {
    retryable: !tls && passing,
    cost: {},
    details: { ...details, ...(tls ? { tls: false } : {}) },
    cause: error,
  })
}

/** An answer of a server in one line, cut to size. */
export function shownAnswer(answer: string): string {
  const line = cleanText(answer).replaceAll(/\s+/g, ' ').trim()
  return line.length > ANSWER_CHARS ? `${cutText(line, ANSWER_CHARS)}…` : line
}

function isMailFailure(error: unknown): error is MailFailure {
  return error instanceof Error && error.name === 'MailFailure'
}
