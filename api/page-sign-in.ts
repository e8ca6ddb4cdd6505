import { getCookie } from 'hono/cookie'
import type { Actor } from '#core/actor.ts'
import { DomainError } from '#core/errors.ts'
import { signIn, type TokenGrant } from '#services/auth/issue-token.ts'
import { mustBe } from '#services/auth/may.ts'
import { noSuchLinkPage } from './approval-page.ts'
import type { ApiContext } from './context.ts'
import { HTML, PAGE_HEADERS, PAGE_POLICY } from './page.ts'
import { clientIp } from './request-origin.ts'
import { noSuchPage, signInPage } from './run-page.ts'

export const READER_COOKIE = 'svc_reader'

/** Browsers get pages, other clients data. */
export function wantsPage(c: ApiContext): boolean {
  return (c.req.header('accept') ?? '').includes('text/html')
}

/**
 * Returns the user who signed in in this browser, for read-only pages. The cookie follows a link from a message (`SameSite=Lax`), so it may
 * only open pages.
 */
export async function readerOf(c: ApiContext): Promise<Actor | undefined> {
  const { auth, limiter } = c.get('deps')
  // an explicit token identifies the caller
  const asked = auth.enabled && wantsPage(c) && c.req.header('authorization') === undefined
  const token = asked ? getCookie(c, READER_COOKIE) : undefined
  const actor =
    token === undefined ? undefined : await auth.actor(`Bearer ${token}`, clientIp(c)).catch(() => undefined)
  // a key speaks for a program, which is no reader of pages
  if (actor === undefined || actor.key !== undefined) return undefined
  await limiter.take(actor.id)
  mustBe(actor, 'user')
  return actor
}

/** Renders the page of an error for browsers; undefined for programs. */
export function refusalPage(error: DomainError, c: ApiContext): Response | undefined {
  if (!wantsPage(c)) return undefined
  if (error.code === 'unauthenticated') return showPage(c, signInPage(c.get('full_path')), 401)
  return error.code === 'not_found' ? showPage(c, noSuchPage(), 404) : undefined
}

/** Renders the page of an invalid link for browsers; undefined for programs. */
export function linkRefusalPage(error: DomainError, c: ApiContext): Response | undefined {
  return wantsPage(c) && error.code === 'not_found' ? showPage(c, noSuchLinkPage(), 404) : undefined
}

export function showPage(c: ApiContext, html: string, status: 200 | 401 | 404 = 200): Response {
  for (const [name, value] of Object.entries(PAGE_HEADERS)) c.header(name, value)
  c.header('content-security-policy', PAGE_POLICY)
  return c.body(html, status, HTML)
}

/** The only cast for pages: a browser requested one, and the types of a route only know programs' answers. */
export function inPlaceOfData(response: Response): never {
  return response as never
}

/** Issues the token of `POST /token` to a user who signs in on a page. Throws `unauthenticated`, `rate_limited`, `not_configured`. */
export async function issueTokenOnPage(
  c: ApiContext,
  credentials: { email: string; password: string },
): Promise<TokenGrant> {
  const { auth, identity, logins, refusals } = c.get('deps')
  if (!auth.enabled) throw new DomainError('not_configured', 'Authentication is off: there is no sign-in.')
  return await signIn(
    { ...c.get('ctx'), ...identity, logins, refusals },
    { username: credentials.email, password: credentials.password, ip: clientIp(c) },
  )
}
