import { isIP } from 'node:net'
import { Readable } from 'node:stream'
import MailComposer, { type MailComposerOptions } from 'nodemailer/lib/mail-composer'
import SMTPConnection, { type SMTPConnectionSendInfo } from 'nodemailer/lib/smtp-connection'

export interface MailServer {
  /** a name, or an address without brackets */
  host: string
  port: number
  /** where the name was found, when that was checked */
  address?: string
  tls: 'implicit' | 'starttls' | 'if_offered' | 'none'
  login?: { user: string; pass: string }
  /** of each phase: to connect, for the greeting, and without any answer */
  timeout_ms: number
}

export type Mail = Omit<MailComposerOptions, 'disableFileAccess' | 'disableUrlAccess'>

export interface SendOptions {
  signal?: AbortSignal
  /** awaited when the server has let us in; nothing is sent where it rejects */
  beforeSending?: () => Promise<void>
}

export interface Accepted {
  accepted: string[]
  rejected: { address: string; answer: string }[]
  /** of the server to the message */
  answer: string
}

/** Signs in at mail servers and hands them messages. */
export interface Mailer {
  send(server: MailServer, mail: Mail, options?: SendOptions): Promise<Accepted>
  /** Signs in and sends nothing. */
  signIn(server: MailServer, options?: SendOptions): Promise<void>
}

/** A mail that was not handed over. */
export class MailFailure extends Error {
  /** nodemailer's word for what failed, such as `EAUTH` or `EENVELOPE` */
  readonly code: string
  /** of the system or of OpenSSL, such as `ECONNREFUSED` */
  readonly system_code: string
  /** of RFC 5321 section 4.2.1 */
  readonly response_code: number | undefined
  /** what the server said */
  readonly answer: string | undefined
  /** the server has received a part of the message, and perhaps all of it */
  readonly began: boolean

  constructor(cause: Error, began: boolean) {
    super(cause.message, { cause })
    this.name = 'MailFailure'
    const { code, originalCode, responseCode, response } = cause as Error &
      Record<'code' | 'originalCode' | 'responseCode' | 'response', unknown>
    this.code = String(code ?? '')
    this.system_code = String(originalCode ?? '')
    this.response_code = typeof responseCode === 'number' ? responseCode : undefined
    this.answer = typeof response === 'string' ? response : undefined
    this.began = began
  }
}

/** Creates a mailer. `ca`: PEM, trusted in place of the public roots. */
export function createMailer({ ca }: { ca?: string } = {}): Mailer {
  return {
    send: (server, mail, options = {}) =>
      withConnection(server, { ...options, ca }, async (connection, onBegin) => {
        const message = new MailComposer({ ...mail, disableFileAccess: true, disableUrlAccess: true }).compile()
        await options.beforeSending?.()
        // it is read when the server has asked for it
        const body = async function* () {
          onBegin()
          yield* message.createReadStream()
        }
        const { to, ...envelope } = message.getEnvelope()
        const info = await called<SMTPConnectionSendInfo>((done) =>
          connection.send({ ...envelope, to: [to].flat() }, Readable.from(body()), done),
        )
        const rejected = (info.rejectedErrors ?? []).map((error, at) => ({
          address: info.rejected[at] ?? '',
          answer: error.response ?? error.message,
        }))
        return { accepted: info.accepted, rejected, answer: info.response }
      }),
    signIn: (server, options = {}) => withConnection(server, { ...options, ca }, async () => undefined),
  }
}

/** Connects, signs in, does the work and closes. Rejects with MailFailure, or with what `work` or the signal says. */
async function withConnection<Result>(
  server: MailServer,
  { signal, ca }: SendOptions & { ca: string | undefined },
  work: (connection: SMTPConnection, onBegin: () => void) => Promise<Result>,
): Promise<Result> {
  signal?.throwIfAborted()
  const connection = new SMTPConnection(optionsOf(server, ca))
  let began = false
  let stop: () => void = () => undefined
  const broken = new Promise<never>((_resolve, reject) => {
    connection.on('error', reject)
    stop = () => {
      connection.close()
      reject(signal?.reason)
    }
    signal?.addEventListener('abort', stop, { once: true })
  })
  // it may break when nobody waits any more
  broken.catch(() => undefined)
  const session = async () => {
    await called((done) => connection.connect(done))
    const { login } = server
    if (login !== undefined) await called((done) => connection.login({ credentials: login }, done))
    return await work(connection, () => {
      began = true
    })
  }
  try {
    return await Promise.race([session(), broken])
  } catch (error) {
    const isMail = error instanceof Error && 'code' in error && /^E[A-Z]+$/.test(String(error.code))
    throw isMail && signal?.aborted !== true ? new MailFailure(error, began) : error
  } finally {
    signal?.removeEventListener('abort', stop)
    connection.close()
  }
}

function optionsOf({ host, address, port, tls, timeout_ms }: MailServer, ca: string | undefined) {
  return {
    host: address ?? host,
    port,
    ...(isIP(host) === 0 ? { servername: host } : {}),
    secure: tls === 'implicit',
    requireTLS: tls === 'starttls',
    ignoreTLS: tls === 'none',
    connectionTimeout: timeout_ms,
    greetingTimeout: timeout_ms,
    socketTimeout: timeout_ms,
    ...(ca === undefined ? {} : { tls: { ca } }),
  }
}

function called<Result>(work: (done: (error?: Error | null, result?: Result) => void) => void): Promise<Result> {
  return new Promise((resolve, reject) => {
    work((error, result) => (error ? reject(error) : resolve(result as Result)))
  })
}
