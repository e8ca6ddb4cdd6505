import type { Actor } from '#core/actor.ts'
import { DomainError } from '#core/errors.ts'
import { createLru } from '#core/lru.ts'
import type { Clock } from '#core/time/time.ts'
import { endedSession } from '#core/user/session.ts'
import type { TokenClaims, Tokens } from '#platform/tokens.ts'
import type { UserRow, UserStore } from '#store/users.ts'
import { type Authenticator, CONSOLE_CLIENT, LOCAL_ACTOR } from './authenticator.ts'
import type { KeyAuthenticator } from './key-authenticator.ts'
import { userActor } from './user-record.ts'

/** Exactly one bearer token (RFC 6750): two headers are joined with a comma, which does not match. */
const BEARER = /^Bearer ([\w-]+\.[\w-]+\.[\w-]+)$/i
const MAX_HEADER_CHARACTERS = 8_192

const API_KEY = /^Bearer (svc_[\w-]{43})$/i

/** The API key of an `Authorization` header; undefined when it holds none. */
function keyOf(authorization: string | undefined): string | undefined {
  if (authorization === undefined || authorization.length > MAX_HEADER_CHARACTERS) return undefined
  return API_KEY.exec(authorization)?.[1]
}

/** The token of an `Authorization` header; undefined when there is none, or more than one. */
function bearerOf(authorization: string | undefined): string | undefined {
  if (authorization === undefined || authorization.length > MAX_HEADER_CHARACTERS) return undefined
  return BEARER.exec(authorization)?.[1]
}

const MAX_CACHED = 10_000

export interface AuthenticatorOptions {
  tokens: Tokens
  users: Pick<UserStore, 'find'>
  /** absent where there are no API keys */
  authenticateKey?: KeyAuthenticator
  clock: Clock
  /** longest age of a cached user: a revoked right can outlive its end this long */
  cache_ms: number
}

/** Accepts a valid token of an active user: roles and workspaces are the user's current ones, not the token's. */
export function createAuthenticator(options: AuthenticatorOptions): Authenticator {
  const { tokens, users, authenticateKey, clock, cache_ms } = options
  const cached = createLru<string, { row: UserRow; read_at: number }>(MAX_CACHED)

  async function load(claims: Pick<TokenClaims, 'sub' | 'tv'>): Promise<UserRow | undefined> {
    const known = cached.get(claims.sub)
    const now = clock()
    // a clock that was set back tells of no age
    const is_fresh = known !== undefined && now >= known.read_at && now - known.read_at < cache_ms
    // a token newer than the cached user needs a fresh read: its owner has just signed in again
    if (is_fresh && claims.tv <= known.row.token_version) return known.row
    const row = await users.find(claims.sub)
    cached.delete(claims.sub)
    if (row === undefined) return undefined
    cached.set(claims.sub, { row, read_at: now })
    return row
  }

  /** Returns the user of a token or session, unless they are inactive or it was revoked. */
  async function holder(claims: Pick<TokenClaims, 'sub' | 'tv'>): Promise<UserRow> {
    const row = await load(claims)
    if (row?.status === 'active' && row.token_version === claims.tv) return row
    throw new DomainError('unauthenticated', 'A valid bearer token is needed.')
  }

  return {
    enabled: true,
    async actor(authorization, ip): Promise<Actor> {
      const key = authenticateKey === undefined ? undefined : keyOf(authorization)
      if (authenticateKey !== undefined && key !== undefined) return await authenticateKey(key, ip)
      const token = bearerOf(authorization)
      const claims = token === undefined ? undefined : await tokens.verify(token)
      if (claims === undefined) throw new DomainError('unauthenticated', 'A valid bearer token is needed.')
      const row = await holder(claims)
      const { client_id } = claims
      return {
        ...userActor(row, 'jwt'),
        token_version: claims.tv,
        scopes: row.scopes.filter((scope) => claims.scopes.includes(scope)),
        ...(client_id !== undefined && { client_id }),
      }
    },
    async person(session): Promise<Actor> {
      const row = await holder(session)
      if (row.ended_sessions.includes(endedSession(session)))
        throw new DomainError('unauthenticated', 'The session has ended: sign in again.')
      if (row.roles.includes('service')) throw new DomainError('unauthenticated', 'A service account has no session.')
      return { ...userActor(row, 'jwt'), token_version: session.tv, client_id: CONSOLE_CLIENT }
    },
  }
}

/** Accepts every caller as the local owner. A token of this installation identifies the program; any other is ignored. */
export function createOpenAuthenticator(tokens: Pick<Tokens, 'verify'> | undefined): Authenticator {
  return {
    enabled: false,
    person: async () => LOCAL_ACTOR,
    async actor(authorization) {
      const token = bearerOf(authorization)
      const client_id = token === undefined ? undefined : (await tokens?.verify(token))?.client_id
      return client_id === undefined ? LOCAL_ACTOR : { ...LOCAL_ACTOR, client_id }
    },
  }
}
