import { type Connection, type OperatorContext, OperatorError } from '#core/operator.ts'
import { percentDecoded } from '#core/text/text.ts'
import { smtpAddress } from './smtp-server.ts'

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
export function throughConnection<Input extends { url: string; headers?: Record<string, string>; connection?: string }>(
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

/** A connection whose base url ends in a slash, written or not: it is a folder. */
export function folderOf<Way extends Connection>(connection: Way): Way {
  if (!URL.canParse(connection.url)) return connection
  const url = new URL(connection.url)
  if (!url.pathname.endsWith('/')) url.pathname += '/'
  return { ...connection, url: url.href }
}

/** What is asked for through a connection, if through one: the url with what the connection adds, its credentials. */
export async function httpTarget<Input extends { url: string; headers?: Record<string, string>; connection?: string }>(
  ctx: OperatorContext,
  input: Input,
): Promise<{ input: Input; credentials: { authorization?: string } }> {
  if (input.connection === undefined) return { input, credentials: {} }
  const connection = await ctx.connection(input.connection)
  return { input: throughConnection(input, connection), credentials: credentialsOf(connection) }
}

/** `https://user:password@host` as Basic (RFC 7617), `https://:token@host` as Bearer (RFC 6750). */
export function credentialsOf(connection: Connection | undefined): { authorization?: string } {
  if (connection === undefined) return {}
  const base = baseOf(connection)
  const [user, password] = [percentDecoded(base.username), percentDecoded(base.password)]
  if (user === '' && password === '') return {}
  if (user === '') return { authorization: `Bearer ${password}` }
  return { authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` }
}

/** What would give a connection's credentials away where it comes back; nothing of PostgreSQL's does. */
export function credentialTexts(connection: Connection | undefined): string[] {
  const url = connection !== undefined && URL.canParse(connection.url) ? new URL(connection.url) : undefined
  const mail = connection === undefined ? undefined : smtpAddress(connection)
  if (mail !== undefined && mail.pass !== '') {
    const { user, pass } = mail
    return [pass, ...[pass, `\u0000${user}\u0000${pass}`].map((text) => Buffer.from(text).toString('base64'))]
  }
  if (connection === undefined || url === undefined || !/^https?:$/.test(url.protocol)) return []
  const { authorization } = credentialsOf(connection)
  if (authorization === undefined) return []
  return [authorization, authorization.replace(/^\w+ /, ''), percentDecoded(url.password || url.username)]
}

function baseOf({ kind, url }: Connection, id = ''): URL {
  const base = URL.canParse(url) ? new URL(url) : undefined
  if (base !== undefined && /^https?:$/.test(base.protocol)) return base
  throw new OperatorError('connection_kind', `connection ${id} (${kind}) has no http url`)
}
