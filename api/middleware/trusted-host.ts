import { DomainError } from '#core/errors.ts'
import type { ApiContext } from '../context.ts'

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i

/**
 * While nobody has to sign in and only this machine can connect, a web page must not act in the machine's name:
 * foreign `Host` (DNS rebinding) and cross-site `Origin` are refused.
 */
export function mustBeAtHome(c: ApiContext): void {
  if (!c.get('deps').loopback_only) return
  const host = c.req.header('host') ?? new URL(c.req.url).host
  if (!LOOPBACK.test(host)) throw new DomainError('forbidden', 'This server answers only under a loopback name.')
  const origin = c.req.header('origin')
  const site = c.req.header('sec-fetch-site')
  // a page that sends no referrer hides its origin too, and the browser then vouches for it in another header
  const vouched = origin === 'null' && site === 'same-origin'
  const foreign = origin !== undefined && !vouched && origin.toLowerCase() !== `http://${host.toLowerCase()}`
  if (foreign || (site === 'cross-site' && c.req.method !== 'GET')) {
    throw new DomainError('forbidden', 'Requests from other sites are refused while authentication is off.')
  }
}
