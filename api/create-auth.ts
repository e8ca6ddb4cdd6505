import { createHmac } from 'node:crypto'
import type { Clock } from '#core/time/time.ts'
import type { Config } from '#platform/config.ts'
import { createLinks } from '#platform/links.ts'
import { createPasswords } from '#platform/password.ts'
import { deriveKey } from '#platform/sealing.ts'
import { createSessions } from '#platform/sessions.ts'
import { sha256 } from '#platform/sha256.ts'
import { createLocalTokens, createTokens } from '#platform/tokens.ts'
import type { Authenticator } from '#services/auth/authenticator.ts'
import { createAuthenticator, createOpenAuthenticator } from '#services/auth/create-authenticator.ts'
import type { Identity } from '#services/auth/identity.ts'
import { createKeyAuthenticator, type KeyAuthenticatorOptions } from '#services/auth/key-authenticator.ts'
import { createApiKeyStore } from '#store/api-keys.ts'
import type { Db } from '#store/db.ts'
import { createMagicLinks } from '#store/gates/magic-links.ts'
import { createUserStore } from '#store/users.ts'
import type { ApiDeps } from './deps.ts'

const REMEMBERED_MS = 1_000

export function createIdentity({ auth }: Config, db: Db, clock: Clock): Identity {
  const { jwtSecret: secret, tokenTtlMs: ttl_ms } = auth
  return {
    users: createUserStore(db),
    keys: createApiKeyStore(db),
    passwords: createPasswords(),
    tokens: secret === undefined ? undefined : createTokens({ secret, ttl_ms, clock }),
    sessions: secret === undefined ? undefined : createSessions({ secret, idle_ms: ttl_ms, clock }),
  }
}

/** Without tokens everyone is the local owner. */
export function createAuth(
  { tokens, users, keys }: Identity,
  { secretKey }: Config,
  clock: Clock,
  options: Omit<KeyAuthenticatorOptions, 'users' | 'keys'>,
): Authenticator {
  if (tokens === undefined)
    // made on this machine a moment ago, by its clock
    return createOpenAuthenticator(secretKey === undefined ? undefined : createLocalTokens(secretKey, Date.now))
  const authenticateKey = createKeyAuthenticator({ users, keys, ...options })
  return createAuthenticator({ tokens, users, authenticateKey, clock, cache_ms: REMEMBERED_MS })
}

/** Without a master key nothing can be signed, so there are no links. */
export function approvalLinks(
  { secretKey, publicUrl }: Config,
  db: Db,
  gates: ApiDeps['chat']['gates'],
  clock: Clock,
): Pick<ApiDeps, 'links'> {
  if (secretKey === undefined) return {}
  const signer = createLinks({ master_key: secretKey, clock })
  return { links: { signer, links: createMagicLinks(db), gates, secure_cookies: publicUrl.startsWith('https:') } }
}

/** With a key: a body may hold a password, which a plain digest would let be guessed. */
export function createBodyDigest({
  secretKey,
  connectionKeys: [first],
}: Pick<Config, 'secretKey' | 'connectionKeys'>): (text: string) => string {
  const masterKey = secretKey ?? first
  if (masterKey === undefined) return sha256
  const key = deriveKey(masterKey, 'idempotency')
  return (text) => createHmac('sha256', key).update(text).digest('hex')
}
