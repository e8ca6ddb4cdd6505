import { deleteCookie, getCookie, setCookie } from 'hono/cookie'
import type { Actor } from '#core/actor.ts'
import { DomainError } from '#core/errors.ts'
import { demandsLogin } from '#services/approvals/links/link-context.ts'
import { issueToken, type TokenGrant } from '#services/auth/issue-token.ts'
import { openSession } from '#services/auth/sessions.ts'
import { linkCookie, linksOf, openedLink } from './approval-link.ts'
import type { ApiContext } from './context.ts'
import type { ApiDeps } from './deps.ts'
import { clientIp, isForeign } from './request-origin.ts'
import { hasSession, keepSession, personOf, sessionOf } from './session-cookie.ts'

/** Time after signing in on a link's page during which no further sign-in is needed. */
const SIGNED_IN_S = 600

/**
 * Signs a user in on the page of a link, and remembers that for this link in this browser, so that the decision needs no second password;
 * with `keep`, for the console and for all links.
 * The cookie alone decides nothing: a decision also needs the nonce of the page, and `SameSite=Strict` keeps other sites out.
 */
export async function signInOnPage(
  c: ApiContext,
  { keep, ...credentials }: { email: string; password: string; keep: boolean },
): Promise<Actor> {
  const { auth, services, identity } = c.get('deps')
  if (keep && auth.enabled && identity.sessions !== undefined)
    return await signInToConsole(c, identity.sessions, credentials)
  const { signer } = linksOf(c)
  const { jti } = openedLink(c).link
  const { access_token } = await issueTokenOnPage(c, credentials)
  const until = Math.floor(services.clock() / 1_000) + SIGNED_IN_S
  setCookie(c, nameOf(jti), signer.bind(jti, `${until}~${access_token}`), { ...linkCookie(c), maxAge: SIGNED_IN_S })
  return await auth.actor(`Bearer ${access_token}`)
}

/** Signs a user in with the session of the console, which is valid on the pages of further links too. */
async function signInToConsole(
  c: ApiContext,
  sessions: NonNullable<ApiDeps['identity']['sessions']>,
  credentials: { email: string; password: string },
): Promise<Actor> {
  const { auth, identity, logins, refusals } = c.get('deps')
  const { session } = await openSession(
    { ...c.get('ctx'), ...identity, sessions, logins, refusals },
    { ...credentials, ip: clientIp(c) },
  )
  forgetSignIn(c)
  keepSession(c, session)
  const claims = await sessions.verify(session.value)
  if (claims === undefined) throw new DomainError('internal', 'a new session is not valid')
  return await auth.person(claims)
}

/**
 * The user whom this browser knows: who has signed in on this page a moment ago, or in the console. A request that another site began knows
 * of no session: `awaitsSession` says that the page may reload itself.
 */
export async function knownUser(c: ApiContext): Promise<Actor | undefined> {
  const onPage = await signedInOnPage(c)
  const { auth } = c.get('deps')
  if (onPage !== undefined || !auth.enabled || !demandsLogin(openedLink(c).gate, false)) return onPage
  return await personOf(c, await sessionOf(c))
}

/** The query parameter of a page that has reloaded itself, so that it does so once. */
export const RELOADED = 'again'

/**
 * True for the first page after a message, once: another site led here, so that the browser kept a session to itself (SameSite=Strict), if
 * there is one; or the user came by themselves, with one.
 */
export function awaitsSession(c: ApiContext): boolean {
  const { auth, identity } = c.get('deps')
  if (!auth.enabled || identity.sessions === undefined || c.req.query(RELOADED) !== undefined) return false
  return isForeign(c) && (c.req.header('sec-fetch-site') !== 'none' || hasSession(c))
}

/** The user who has signed in on this page a moment ago, and may still. */
async function signedInOnPage(c: ApiContext): Promise<Actor | undefined> {
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
