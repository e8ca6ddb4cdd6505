import { setCookie } from 'hono/cookie'
import { DomainError } from '#core/errors.ts'
import type { ApiContext } from './context.ts'
import { issueTokenOnPage, READER_COOKIE, showPage } from './page-sign-in.ts'
import { isForeign } from './request-origin.ts'
import { signInPage } from './run-page.ts'

/** Targets of a sign-in: the page of a run. */
const NEXT = /^(\/workspaces\/ws_[0-9a-z]{26})?\/runs\/run_[0-9a-z]{26}$/

/** Signs a reader in and redirects to the requested page. */
export async function signReaderIn(
  c: ApiContext,
  { email, password, next }: { email: string; password: string; next: string },
): Promise<Response> {
  if (isForeign(c)) throw new DomainError('forbidden', 'A form of another site cannot sign in.')
  const leads_to = NEXT.test(next) ? next : '/'
  try {
    const { access_token, expires_in } = await issueTokenOnPage(c, { email, password })
    const secure = c.get('deps').links?.secure_cookies ?? c.req.url.startsWith('https:')
    setCookie(c, READER_COOKIE, access_token, {
      httpOnly: true,
      sameSite: 'Lax',
      secure,
      path: '/',
      maxAge: expires_in,
    })
    return c.redirect(leads_to, 303)
  } catch (error) {
    if (!(error instanceof DomainError) || error.code !== 'unauthenticated') throw error
    return showPage(c, signInPage(leads_to, error.message), 401)
  }
}
