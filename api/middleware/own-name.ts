import { DomainError } from '#core/errors.ts'
import type { ApiContext } from '../context.ts'

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/
/** DNS rebinding takes a name */
const ADDRESS = /^(?:\d{1,3}(?:\.\d{1,3}){3}|\[[0-9a-f:.]+\])$/

/**
 * Throws `forbidden` for a page of another site, and for a name that is not ours, to which a browser may have been led (DNS rebinding):
 * agents are programs, and what they reach must not be reached through somebody's browser.
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
