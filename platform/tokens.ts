import { randomUUID } from 'node:crypto'
import { errors, type JWTPayload, jwtVerify, SignJWT } from 'jose'
import type { Clock } from '#core/time/time.ts'
import { deriveKey } from './sealing.ts'

const ISSUER = 'svc'
const AUDIENCE = 'svc-api'
/** a fixed algorithm: the one in a token is never trusted (RFC 8725 section 3.1) */
const ALGORITHM = 'HS256'
const TYPE = 'at+jwt'
/** clocks of two machines differ by this much at most */
const TOLERANCE_S = 2
const MIN_SECRET_BYTES = 32

/** The holder of a token. */
export interface TokenSubject {
  id: string
  email: string
  account_id: string
  roles: string[]
  workspaces: string[]
  token_version: number
}

/** The facts that a valid token proves; the database has everything else about its owner. */
export interface TokenClaims {
  sub: string
  /** the user's token version when it was issued */
  tv: number
  scopes: string[]
  /** the client that it was issued to, if it named itself (RFC 9068) */
  client_id?: string
}

export interface Tokens {
  issue(subject: TokenSubject, scopes: string[], clientId?: string): Promise<{ token: string; expires_in_s: number }>
  /** undefined for everything but a token of ours that is good now */
  verify(token: string): Promise<TokenClaims | undefined>
}

/** Access tokens as JWTs (RFC 9068, HS256). The secret has at least 32 bytes (RFC 7518 section 3.2). */
export function createTokens(options: { secret: string; ttl_ms: number; clock: Clock }): Tokens {
  const key = new TextEncoder().encode(options.secret)
  if (key.length < MIN_SECRET_BYTES) throw new Error(`a token secret takes at least ${MIN_SECRET_BYTES} bytes`)
  const ttl = Math.floor(options.ttl_ms / 1_000)
  return {
    async issue(subject, scopes, clientId) {
      const now = Math.floor(options.clock() / 1_000)
      const { id, email, account_id, roles, workspaces, token_version: tv } = subject
      const client = clientId === undefined ? {} : { client_id: clientId }
      const token = await new SignJWT({ email, account_id, roles, workspaces, tv, scope: scopes.join(' '), ...client })
        .setProtectedHeader({ alg: ALGORITHM, typ: TYPE })
        .setIssuer(ISSUER)
        .setAudience(AUDIENCE)
        .setSubject(id)
        .setJti(randomUUID())
        .setIssuedAt(now)
        .setNotBefore(now)
        .setExpirationTime(now + ttl)
        .sign(key)
      return { token, expires_in_s: ttl }
    },

    async verify(token) {
      try {
        const { payload, protectedHeader } = await jwtVerify(token, key, {
          algorithms: [ALGORITHM],
          issuer: ISSUER,
          audience: AUDIENCE,
          typ: TYPE,
          clockTolerance: TOLERANCE_S,
          currentDate: new Date(options.clock()),
          requiredClaims: ['iat', 'nbf', 'exp', 'jti', 'sub', 'tv', 'scope'],
        })
        // our tokens name no key: a header that does is not ours
        return Object.keys(protectedHeader).length === 2 ? claimsOf(payload) : undefined
      } catch (error) {
        if (error instanceof errors.JOSEError) return undefined
        throw error
      }
    },
  }
}

function claimsOf({
  sub,
  tv,
  scope,
  client_id,
}: JWTPayload & Partial<Record<'tv' | 'scope' | 'client_id', unknown>>): TokenClaims | undefined {
  if (sub === undefined || typeof tv !== 'number' || typeof scope !== 'string') return undefined
  const scopes = scope.split(' ').filter((name) => name !== '')
  return { sub, tv, scopes, ...(typeof client_id === 'string' ? { client_id } : {}) }
}

const TTL_MS = 60_000

/**
 * Tokens of an installation without authentication. They identify the calling program only: anyone who can read the master key can make
 * one. With authentication on they are invalid.
 */
export function createLocalTokens(
  masterKey: string,
  clock: Clock,
): Pick<Tokens, 'verify'> & {
  issue(clientId: string): Promise<string>
} {
  const secret = deriveKey(masterKey, 'local-clients').toString('hex')
  const tokens = createTokens({ secret, ttl_ms: TTL_MS, clock })
  const local_owner = {
    id: 'usr_local',
    email: '',
    account_id: 'acc_local',
    roles: [],
    workspaces: [],
    token_version: 0,
  }
  return {
    verify: tokens.verify,
    issue: async (clientId) => (await tokens.issue(local_owner, [], clientId)).token,
  }
}
