import { deleteCookie, getCookie, setCookie } from 'hono/cookie'
import type { Actor } from '#core/actor.ts'
import { DomainError } from '#core/errors.ts'
import { issueToken, type TokenGrant } from '#services/auth/issue-token.ts'
import { linkCookie, linksOf, openedLink } from './approval-link.ts'
import type { ApiContext } from './context.ts'
import { clientIp } from './request-origin.ts'

/** Time after signing in on a link's page during which no further sign-in is needed. */
const SIGNED_IN_S = 600

/**
 * Signs a user in on the page of a link, and remembers that for this link in this browser, so that the decision needs no second password.
 * The cookie alone decides nothing: a decision also needs the nonce of the page, and `SameSite=Strict` keeps other sites out.
 */
export async function signInOnPage(c: ApiContext, credentials: { email: string; password: string }): Promise<Actor> {
  const { auth, services } = c.get('deps')
  const { signer } = linksOf(c)
  const { jti } = openedLink(c).link
  const { access_token } = await issueTokenOnPage(c, credentials)
  const until = Math.floor(services.clock() / 1_000) + SIGNED_IN_S
  setCookie(c, nameOf(jti), signer.bind(jti, `${until}~${access_token}`), { ...linkCookie(c), maxAge: SIGNED_IN_S })
  return await auth.actor(`Bearer ${access_token}`)
}

/** The user who has signed in on this page a moment ago, and may still. */
export async function signedInOnPage(c: ApiContext): Promise<Actor | undefined> {
  const { auth, services } = c.get('deps')
  const { jti } = openedLink(c).link
  const kept = getCookie(c, nameOf(jti))
  const bound = kept === undefined || !auth.enabled ? undefined : linksOf(c).signer.bound(jti, kept)
  const [until, token] = bound?.split(/~(.*)/s) ?? []
  if (token === undefined || Number(until) * 1_000 <= services.clock()) return undefined
  return await auth.actor(`Bearer ${token}`).catch(() => undefined)
}

/** The decision is made. */
export function forgetSignIn(c: ApiContext): void {
  deleteCookie(c, nameOf(openedLink(c).link.jti), linkCookie(c))
}

function nameOf(jti: string): string {
  return `svc_signed_in_${jti.slice(-10)}`
}

/** Issues the token of `POST /token` to a user who signs in on a page. Throws `unauthenticated`, `rate_limited`, `not_configured`. */
async function issueTokenOnPage(c: ApiContext, credentials: { email: string; password: string }): Promise<TokenGrant> {
  const { auth, identity, logins, refusals } = c.get('deps')
  if (!auth.enabled) throw new DomainError('not_configured', 'Authentication is off: there is no sign-in.')
  return await issueToken(
    { ...c.get('ctx'), ...identity, logins, refusals },
    { username: credentials.email, password: credentials.password, ip: clientIp(c) },
  )
}
