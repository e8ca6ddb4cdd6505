import { type OperatorContext, OperatorError } from '#core/operator.ts'

export interface HttpTarget {
  url: string
  /** what the connection adds: its credentials */
  headers: Record<string, string>
}

/**
 * Where a request goes. With a connection the url is relative to it and cannot leave its origin, because its credentials travel
 * along: `https://user:password@host` as Basic (RFC 7617), `https://:token@host` as Bearer (RFC 6750).
 */
export async function httpTarget(
  ctx: OperatorContext,
  input: { url: string; connection?: string },
): Promise<HttpTarget> {
  if (input.connection === undefined) return { url: input.url, headers: {} }
  const connection = await ctx.connection(input.connection)
  const base = URL.canParse(connection.url) ? new URL(connection.url) : undefined
  if (base === undefined || !/^https?:$/.test(base.protocol)) {
    throw new OperatorError('connection_kind', `connection ${input.connection} (${connection.kind}) has no http url`)
  }
  const headers = credentials(base)
  base.username = ''
  base.password = ''
  const url = URL.canParse(input.url, base.href) ? new URL(input.url, base) : undefined
  if (url === undefined || url.origin !== base.origin) {
    throw new OperatorError('egress_denied', `the url leaves the host of connection ${input.connection}`)
  }
  return { url: url.href, headers }
}

function credentials(base: URL): Record<string, string> {
  const user = decodeURIComponent(base.username)
  const password = decodeURIComponent(base.password)
  if (user === '' && password === '') return {}
  if (user === '') return { authorization: `Bearer ${password}` }
  return { authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` }
}
