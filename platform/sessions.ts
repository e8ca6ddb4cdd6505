import { createHmac, randomUUID } from 'node:crypto'
import { errors, jwtVerify, SignJWT } from 'jose'
import type { Clock } from '#core/time/time.ts'
import { MAX_SESSION_S } from '#core/user/session.ts'
import { deriveKey } from './sealing.ts'

const ALGORITHM = 'HS256'
const ISSUER = 'svc'
const AUDIENCE = 'svc-console'
const TYPE = 'svc-session+jwt'

/** The facts that a valid session proves; the database has everything else about its owner. */
export interface SessionClaims {
  sub: string
  /** the user's token version when it was opened */
  tv: number
  /** of this sign-in and no other */
  sid: string
  /** seconds since 1970 */
  signed_in_at: number
  expires_at: number
}

/** A session as the browser is given it. */
export interface OpenedSession {
  /** for the cookie */
  value: string
  /** the header that calls need besides the cookie */
  csrf: string
  expires_at: number
}

export interface Sessions {
  /** always a new session: an earlier one of the browser is never reused */
  open(user: { id: string; token_version: number }): Promise<OpenedSession>
  /** the same session for longer, within its bounds */
  renew(claims: SessionClaims): Promise<OpenedSession>
  /** undefined for everything but a session of ours that is good now */
  verify(value: string): Promise<SessionClaims | undefined>
  csrfOf(claims: Pick<SessionClaims, 'sid'>): string
}

/**
 * Sessions of browsers, in cookies. Their key is derived for them alone, so that no session is a bearer token and no token a session.
 * None is kept: they end by time, with the user's token version, and by being noted as ended.
 */
export function createSessions(options: { secret: string; idle_ms: number; clock: Clock }): Sessions {
  const key = deriveKey(options.secret, 'console session')
  const csrfKey = deriveKey(options.secret, 'console csrf')
  const now = () => Math.floor(options.clock() / 1_000)
  const csrfOf = ({ sid }: Pick<SessionClaims, 'sid'>) => createHmac('sha256', csrfKey).update(sid).digest('base64url')

  async function seal({ sub, tv, sid, signed_in_at }: Omit<SessionClaims, 'expires_at'>): Promise<OpenedSession> {
    const expires_at = Math.min(now() + Math.floor(options.idle_ms / 1_000), signed_in_at + MAX_SESSION_S)
    const value = await new SignJWT({ tv, sid, auth_time: signed_in_at })
      .setProtectedHeader({ alg: ALGORITHM, typ: TYPE })
      .setIssuer(ISSUER)
      .setAudience(AUDIENCE)
      .setSubject(sub)
      .setExpirationTime(expires_at)
      .sign(key)
    return { value, csrf: csrfOf({ sid }), expires_at }
  }

  return {
    open: ({ id, token_version }) => seal({ sub: id, tv: token_version, sid: randomUUID(), signed_in_at: now() }),
    renew: seal,
    csrfOf,
    async verify(value) {
      try {
        const { payload } = await jwtVerify(value, key, {
          algorithms: [ALGORITHM],
          issuer: ISSUER,
          audience: AUDIENCE,
          typ: TYPE,
          currentDate: new Date(options.clock()),
          requiredClaims: ['sub', 'exp', 'tv', 'sid', 'auth_time'],
        })
        const { sub, exp, tv, sid, auth_time } = payload
        if (sub === undefined || exp === undefined || typeof tv !== 'number') return undefined
        if (typeof sid !== 'string' || typeof auth_time !== 'number') return undefined
        return { sub, tv, sid, signed_in_at: auth_time, expires_at: exp }
      } catch (error) {
        if (error instanceof errors.JOSEError) return undefined
        throw error
      }
    },
  }
}
