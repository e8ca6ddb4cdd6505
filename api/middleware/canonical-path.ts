import { DomainError } from '#core/errors.ts'
import type { ApiContext } from '../context.ts'
import { wantsPage } from '../pages/page.ts'
import { addressOf } from '../workspace-address.ts'

/** Unreserved characters and the few others that need no encoding in a path segment (RFC 3986). */
const CANONICAL = /^(?:\/|(?:\/[A-Za-z0-9._~!$&'()*+,=:@-]+)+)$/
const DOT_SEGMENT = /\/\.{1,2}(?:\/|$)/
const CONSOLE_PAGE = /^\/console(?:\/(?!api(?:\/|$))|$)/
const RUN_PAGE = /^\/runs\/[^/]+$/

/**
 * Refuses every path that has a second spelling, before routing: `//`, dot segments, any percent-encoding, `;`, a
 * trailing slash, an absolute-form target. What guards a path then guards all of its spellings.
 */
export function mustBeCanonical(c: ApiContext): void {
  if (!isCanonical(rawPath(c))) {
    throw new DomainError('invalid_path', 'The path is not in its canonical form.')
  }
}

/**
 * Returns the address of a page that was asked for with a slash at its end, as people type it; undefined for anything else. It is relative:
 * that of a proxy may have a path of its own.
 */
export function withoutSlash(c: ApiContext): string | undefined {
  const path = rawPath(c)
  const page = path.slice(0, -1)
  if (!path.endsWith('/') || !isCanonical(page) || !['GET', 'HEAD'].includes(c.req.method)) return undefined
  const { path: own } = addressOf(page)
  if (!CONSOLE_PAGE.test(own) && !(RUN_PAGE.test(own) && wantsPage(c))) return undefined
  return `../${page.slice(page.lastIndexOf('/') + 1)}${new URL(c.req.url).search}`
}

/** Tells whether a path has no second spelling. */
export function isCanonical(path: string): boolean {
  return CANONICAL.test(path) && !DOT_SEGMENT.test(path)
}

/** Returns the path as sent: the URL parser has normalised the one in the request object. */
function rawPath(c: ApiContext): string {
  const target = c.env?.incoming?.url ?? c.get('full_path')
  return target.split('?', 1)[0] ?? target
}
