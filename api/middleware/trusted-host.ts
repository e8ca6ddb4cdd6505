import { DomainError } from '#core/errors.ts'
import { whyForeign } from '#core/loopback-request.ts'
import type { ApiContext } from '../context.ts'

/** While nobody has to sign in and only this machine can connect, a web page must not act in the machine's name. */
export function mustBeAtHome(c: ApiContext): void {
  if (!c.get('deps').loopback_only) return
  const host = c.req.header('host') ?? new URL(c.req.url).host
  const origin = c.req.header('origin')
  const reason = whyForeign({ method: c.req.method, host, origin, site: c.req.header('sec-fetch-site') })
  if (reason !== undefined) throw new DomainError('forbidden', reason)
}
