import type { ApiContext } from './context.ts'

/** The address that the request came from, as the socket knows it; headers may say anything. */
export function clientIp(c: ApiContext): string | undefined {
  return c.env?.incoming?.socket?.remoteAddress
}
