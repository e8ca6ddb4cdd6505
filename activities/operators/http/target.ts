import { httpLogin } from '#core/connection/kinds/over-http-schema.ts'
import { smtpAddress } from '#core/connection/kinds/smtp-schema.ts'
import { type Connection, type OperatorContext, OperatorError } from '#core/operator.ts'

/** Whether a text is an absolute http or https url without credentials. */
export function isPlainUrl(text: string): boolean {
  if (!/^https?:\/\/[^/?#@]+([/?#]|$)/i.test(text) || !URL.canParse(text)) return false
  const { username, password } = new URL(text)
  return username === '' && password === ''
}

/** An absolute url as it is sent (WHATWG): dot segments resolved, the host in one spelling, no fragment and no empty query. */
export function sentUrl(text: string): string {
  const url = new URL(text)
  url.hash = ''
  // a question mark without a question is not sent
  if (url.search === '') url.search = ''
  return url.href
}

/**
 * An input as its connection makes it: the url, which is relative to the connection, becomes absolute and cannot leave its
 * origin, because the connection's credentials travel along and replace the input's own.
 */
export function withConnection<Input extends { url: string; headers?: Record<string, string>; connection?: string }>(
  input: Input,
  connection: Connection,
): Input {
  const base = baseOf(connection, input.connection)
  const { authorization } = credentialsOf(connection)
  base.username = ''
  base.password = ''
  // a reference that is empty, or only a fragment, would bring along what may be a key
  base.search = ''
  const url = URL.canParse(input.url, base.href) ? new URL(input.url, base) : undefined
  if (url === undefined || url.origin !== base.origin || url.username !== '' || url.password !== '') {
    throw new OperatorError('egress_denied', `the url leaves the host of connection ${input.connection}`)
  }
  const { authorization: _replaced, ...others } = input.headers ?? {}
  const replaces = authorization !== undefined && input.headers !== undefined
  return { ...input, url: sentUrl(url.href), ...(replaces ? { headers: others } : {}) }
}

/** A url below the one of a connection, which is a folder, whether it ends in a slash or not. */
export function urlBelow(connection: Connection, id: string, url: string): string {
  if (!URL.canParse(connection.url)) return withConnection({ url, connection: id }, connection).url
  const folder = new URL(connection.url)
  if (!folder.pathname.endsWith('/')) folder.pathname += '/'
  return withConnection({ url, connection: id }, { ...connection, url: folder.href }).url
}

/** What is asked for through a connection, if through one: the url with what the connection adds, its credentials. */
export async function httpTarget<Input extends { url: string; headers?: Record<string, string>; connection?: string }>(
  ctx: OperatorContext,
  input: Input,
): Promise<{ input: Input; credentials: { authorization?: string } }> {
  if (input.connection === undefined) return { input, credentials: {} }
  const connection = await ctx.connection(input.connection)
  return { input: withConnection(input, connection), credentials: credentialsOf(connection) }
}

/** A user and a password as Basic (RFC 7617), a token as Bearer (RFC 6750). */
export function credentialsOf(connection: Connection | undefined): { authorization?: string } {
  if (connection === undefined) return {}
  const { user, secret } = httpLogin(baseOf(connection))
  if (user === '' && secret === '') return {}
  if (user === '') return { authorization: `Bearer ${secret}` }
  return { authorization: `Basic ${Buffer.from(`${user}:${secret}`).toString('base64')}` }
}

/** What would give a connection's credentials away where it comes back; nothing of PostgreSQL's does. */
export function credentialTexts(connection: Connection | undefined): string[] {
  if (connection === undefined) return []
  const mail = smtpAddress(connection.url)
  if (mail !== undefined && mail.pass !== '') {
    const { user, pass } = mail
    return [pass, ...[pass, `\u0000${user}\u0000${pass}`].map((text) => Buffer.from(text).toString('base64'))]
  }
  const url = webUrl(connection.url)
  const { authorization } = url === undefined ? {} : credentialsOf(connection)
  if (url === undefined || authorization === undefined) return []
  const { user, secret } = httpLogin(url)
  return [authorization, authorization.replace(/^\w+ /, ''), secret || user]
}

/** A request that may have arrived has an unknown outcome. */
export function unknownIfSent(error: unknown): unknown {
  if (!(error instanceof OperatorError) || error.details?.['sent'] !== true) return error
  const { code, message, details } = error
  return new OperatorError(code, message, { unknown_outcome: true, details, cause: error })
}

function baseOf({ kind, url }: Connection, id = ''): URL {
  const base = webUrl(url)
  if (base !== undefined) return base
  throw new OperatorError('connection_kind', `connection ${id} (${kind}) has no http url`)
}

function webUrl(text: string): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined
  return url !== undefined && /^https?:$/.test(url.protocol) ? url : undefined
}
