import { getCookie, setCookie } from 'hono/cookie'
import type { Actor } from '#core/actor.ts'
import { DomainError } from '#core/errors.ts'
import { mustBe } from '#services/auth/may.ts'
import { clientIp } from './client-ip.ts'
import type { ApiContext } from './context.ts'
import { HTML, PAGE_HEADERS, PAGE_POLICY } from './page.ts'
import { noSuchPage, signInPage } from './run-page.ts'
import { signIn } from './sign-in.ts'

const COOKIE = 'svc_reader'
/** Where a sign-in may lead: to the page of a run. */
const NEXT = /^(\/workspaces\/ws_[0-9a-z]{26})?\/runs\/run_[0-9a-z]{26}$/

/** Whoever reads with a browser gets pages, everybody else data. */
export function wantsPage(c: ApiContext): boolean {
  return (c.req.header('accept') ?? '').includes('text/html')
}

/**
 * Whoever has signed in in this browser, for pages that are only read. The cookie follows a link from a message (`SameSite=Lax`), so
 * nothing but a page may be asked with it.
 */
export async function readerOf(c: ApiContext): Promise<Actor | undefined> {
  const { auth, limiter } = c.get('deps')
  // a token that is sent on purpose says who asks
  const asked = auth.enabled && wantsPage(c) && c.req.header('authorization') === undefined
  const token = asked ? getCookie(c, COOKIE) : undefined
  const actor =
    token === undefined ? undefined : await auth.actor(`Bearer ${token}`, clientIp(c)).catch(() => undefined)
  // a key speaks for a program, which is no reader of pages
  if (actor === undefined || actor.key !== undefined) return undefined
  await limiter.take(actor.id)
  mustBe(actor, 'user')
  return actor
}

/** Signs a reader in and leads on to what they came for. */
export async function signInReader(
  c: ApiContext,
  { email, password, next }: { email: string; password: string; next: string },
): Promise<Response> {
  if (isForeign(c)) throw new DomainError('forbidden', 'The form of another site signs nobody in.')
  const leads_to = NEXT.test(next) ? next : '/'
  try {
    const { access_token, expires_in } = await signIn(c, { email, password })
    const secure = c.get('deps').links?.secure_cookies ?? c.req.url.startsWith('https:')
    setCookie(c, COOKIE, access_token, { httpOnly: true, sameSite: 'Lax', secure, path: '/', maxAge: expires_in })
    return c.redirect(leads_to, 303)
  } catch (error) {
    if (!(error instanceof DomainError) || error.code !== 'unauthenticated') throw error
    return showPage(c, signInPage(leads_to, error.message), 401)
  }
}

/** Browsers say where a form stands; old ones name only its origin, and where that is hidden they send `null`. */
function isForeign(c: ApiContext): boolean {
  const site = c.req.header('sec-fetch-site')
  if (site !== undefined) return site !== 'same-origin'
  const origin = c.req.header('origin') ?? 'null'
  return origin !== 'null' && (!URL.canParse(origin) || new URL(origin).host !== c.req.header('host'))
}

/** What a browser is told instead of a problem document; undefined for programs. */
export function refusalPage(error: DomainError, c: ApiContext): Response | undefined {
  if (!wantsPage(c)) return undefined
  if (error.code === 'unauthenticated') return showPage(c, signInPage(c.get('full_path')), 401)
  return error.code === 'not_found' ? showPage(c, noSuchPage(), 404) : undefined
}

export function showPage(c: ApiContext, html: string, status: 200 | 401 | 404 = 200): Response {
  for (const [name, value] of Object.entries(PAGE_HEADERS)) c.header(name, value)
  c.header('content-security-policy', PAGE_POLICY)
  return c.body(html, status, HTML)
}

/** The one cast for pages: a browser asked for one, and the types of a route only know what programs get. */
export function inPlaceOfData(response: Response): never {
  return response as never
}
