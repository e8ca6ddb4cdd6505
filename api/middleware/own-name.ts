import { DomainError } from '#core/errors.ts'
import { whyForeign } from '#core/loopback-request.ts'
import type { ApiContext } from '../context.ts'

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/
/** DNS rebinding takes a name */
const ADDRESS = /^(?:\d{1,3}(?:\.\d{1,3}){3}|\[[0-9a-f:.]+\])$/

/**
 * Throws `forbidden` for a page of another site, and for a foreign host name, to which a browser may have been led (DNS rebinding): agents
 * are programs, and must not be reached through a browser.
 */
export function mustUseOwnName(c: ApiContext): void {
  const { public_url } = c.get('deps')
  const host = c.req.header('host') ?? new URL(c.req.url).host
  if (!isOurs(host, public_url))
    throw new DomainError('forbidden', 'This server is reached under the name of SVC_PUBLIC_URL, or by its address.')
  const origin = c.req.header('origin')
  const own = [`http://${host}`, `https://${host}`, new URL(public_url).origin]
  if ((origin !== undefined && !own.includes(origin)) || c.req.header('sec-fetch-site') === 'cross-site')
    throw new DomainError('forbidden', 'Pages of other sites are refused here.')
}

function isOurs(host: string, publicUrl: string): boolean {
  if (!URL.canParse(`http://${host}`)) return false
  const { hostname } = new URL(`http://${host}`)
  return hostname === new URL(publicUrl).hostname || LOOPBACK.test(hostname) || ADDRESS.test(hostname)
}

/** While sign-in is off and only this machine can connect, a web page must not act in the machine's name. */
export function mustBeAtHome(c: ApiContext): void {
  if (!c.get('deps').loopback_only) return
  const host = c.req.header('host') ?? new URL(c.req.url).host
  const origin = c.req.header('origin')
  const reason = whyForeign({ method: c.req.method, host, origin, site: c.req.header('sec-fetch-site') })
  if (reason !== undefined) throw new DomainError('forbidden', reason)
}
