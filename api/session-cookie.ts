import { timingSafeEqual } from 'node:crypto'
import { deleteCookie, getCookie, setCookie } from 'hono/cookie'
import type { Actor } from '#core/actor.ts'
import { DomainError } from '#core/errors.ts'
import type { OpenedSession, SessionClaims } from '#platform/sessions.ts'
import type { ApiContext } from './context.ts'
import { isForeign } from './request-origin.ts'

/** A header that the console adds to the cookie: no other site can read its value, and no form can send a header. */
const CSRF_HEADER = 'x-svc-csrf'

export function keepSession(c: ApiContext, { value, expires_at }: OpenedSession): void {
  const maxAge = Math.max(0, expires_at - Math.floor(c.get('deps').services.clock() / 1_000))
  const { name, options } = cookieOf(c)
  setCookie(c, name, value, { ...options, maxAge })
}

export function dropSession(c: ApiContext): void {
  const { name, options } = cookieOf(c)
  deleteCookie(c, name, options)
}

/** True when the browser sent a session, also in a request that another site began. */
export function hasSession(c: ApiContext): boolean {
  return getCookie(c, cookieOf(c).name) !== undefined
}

/** Returns the session of a browser, without its rights: acting needs the header too. */
export async function sessionOf(c: ApiContext): Promise<SessionClaims | undefined> {
  const { sessions } = c.get('deps').identity
  if (sessions === undefined || c.req.header('authorization') !== undefined || isForeign(c)) return undefined
  const value = getCookie(c, cookieOf(c).name)
  return value === undefined ? undefined : await sessions.verify(value)
}

/** Returns the user of a session; undefined where it does not count any more. */
export async function personOf(c: ApiContext, session: SessionClaims | undefined): Promise<Actor | undefined> {
  return session && (await c.get('deps').auth.person(session).catch(undefinedWhenRefused))
}

/** A failed lookup does not sign the user out. */
function undefinedWhenRefused(error: unknown): undefined {
  if (error instanceof DomainError && error.code === 'unauthenticated') return undefined
  throw error
}

/** The session that a call of the console is made with: the cookie, and the value that only the console's own page can know. */
export async function claimedSession(c: ApiContext): Promise<SessionClaims | undefined> {
  const given = c.req.header(CSRF_HEADER)
  const claims = given === undefined ? undefined : await sessionOf(c)
  const wanted = claims && c.get('deps').identity.sessions?.csrfOf(claims)
  return given !== undefined && wanted !== undefined && isSame(given, wanted) ? claims : undefined
}

/** Over TLS the prefix of its name proves that this host has set it (RFC 6265bis, `__Host-`). */
function cookieOf(c: ApiContext) {
  const secure = c.get('deps').public_url.startsWith('https:')
  const options = { httpOnly: true, sameSite: 'Strict', secure, path: '/' } as const
  return { name: secure ? '__Host-svc_session' : 'svc_session', options }
}

function isSame(given: string, wanted: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(wanted)]
  return one.length === other.length && timingSafeEqual(one, other)
}
