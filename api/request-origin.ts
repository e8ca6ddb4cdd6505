import type { ApiContext } from './context.ts'

/** Browsers send the site of a request; old ones only its origin, or `null` where that is hidden. */
export function isForeign(c: ApiContext): boolean {
  const site = c.req.header('sec-fetch-site')
  if (site !== undefined) return site !== 'same-origin'
  const origin = c.req.header('origin') ?? 'null'
  return origin !== 'null' && (!URL.canParse(origin) || new URL(origin).host !== c.req.header('host'))
}

/** Returns the client's address by the socket, not by headers, which may be forged. */
export function clientIp(c: ApiContext): string | undefined {
  return c.env?.incoming?.socket?.remoteAddress
}
