import type { Actor } from '#core/actor.ts'
import { DomainError } from '#core/errors.ts'
import type { ApiKeyRow, ApiKeyStore } from '#store/api-keys.ts'
import type { UserRow, UserStore } from '#store/users.ts'
import { apiKeyStatus } from '../api-keys/api-key-record.ts'
import type { Later } from '../context.ts'
import type { RefusalCounter } from '../refusals/count-refusals.ts'
import { onRecord, type RefusalReport } from '../refusals/record-refusals.ts'
import { ANONYMOUS } from './authenticator.ts'
import { logsOf } from './identity.ts'
import { mayEnter } from './may.ts'
import { userActor, workspacesOf } from './user-record.ts'

export interface KeyAuthenticatorOptions {
  keys: Pick<ApiKeyStore, 'show'>
  users: Pick<UserStore, 'find'>
  sha256(text: string): string
  /** keys of one address that were not good; throws `rate_limited` */
  limits: { key: { take(key: string): Promise<void> } }
  refusals: Pick<RefusalCounter, 'record'>
  later: Later
}

/** Accepts a valid API key. Throws `unauthenticated`, `rate_limited`. */
export type KeyAuthenticator = (token: string, ip: string | undefined) => Promise<Actor>

/**
 * Looks every key up at every request, so that a revoked key ends at once in every process. It is found by its digest, so that timing tells
 * nothing of a key.
 */
export function createKeyAuthenticator({
  keys,
  users,
  sha256,
  limits,
  refusals,
  later,
}: KeyAuthenticatorOptions): KeyAuthenticator {
  return async (token, ip) => {
    const key = await keys.show(sha256(token))
    const account = key === undefined ? undefined : await users.find(key.user_id)
    const why = whyRefused(key, account)
    if (key !== undefined && account !== undefined && why === undefined) return keyActor(key, account)
    for (const log of key?.workspace_id ? [key.workspace_id] : logsOf(...(account === undefined ? [] : [account])))
      later(() => refusals.record(refusalOf(key, why ?? 'unknown_key', { ip, log })))
    await limits.key.take(ip ?? 'unknown')
    throw onRecord(new DomainError('unauthenticated', 'A valid bearer token is needed.'))
  }
}

function whyRefused(key: ApiKeyRow | undefined, account: UserRow | undefined): string | undefined {
  if (key === undefined || account === undefined) return 'unknown_key'
  const status = apiKeyStatus(key)
  if (status !== 'active') return `key_${status}`
  if (account.status !== 'active') return `account_${account.status}`
  return account.roles.includes('service') ? undefined : 'no_service_account'
}

/** The account, as far as the key reaches. */
function keyActor({ id, scopes, workspace_id }: ApiKeyRow, account: UserRow): Actor {
  const workspaces = workspacesOf(account)
  const bound = workspace_id === null ? workspaces : mayEnter({ workspaces }, workspace_id) ? [workspace_id] : []
  return {
    ...userActor(account, 'api_key'),
    scopes: account.scopes.filter((scope) => scopes.some((held) => held === scope)),
    workspaces: bound,
    key: { id, scopes },
  }
}

/** An unknown key is reported without its beginning, which may be anything. */
function refusalOf(
  key: ApiKeyRow | undefined,
  reason: string,
  { ip, log }: { ip: string | undefined; log: string },
): RefusalReport {
  const actor = key === undefined ? ANONYMOUS : { type: 'service' as const, id: key.user_id }
  return {
    kind: reason,
    apart: [log],
    draft: {
      category: 'auth',
      action: 'api_key.refused',
      workspace_id: log,
      actor: { type: actor.type, id: actor.id, auth: 'none', ...(ip !== undefined && { ip }) },
      channel: 'api',
      subject: { type: 'api_key', id: key?.id ?? 'unknown' },
      data: { reason, ...(key !== undefined && { prefix: key.prefix }) },
    },
  }
}
