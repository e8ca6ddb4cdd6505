import type { ApiKey } from '#core/api-key/schema.ts'
import type { AuditDraft } from '#core/audit/types.ts'
import { usdFromMicro } from '#core/money.ts'
import type { ApiKeyRow } from '#store/api-keys.ts'
import type { UserRow } from '#store/users.ts'
import { auditsOf, logsOf } from '../auth/identity.ts'
import { visibilityOf } from '../auth/known-people.ts'

/** A key as people see it. */
export function toApiKeyRecord(row: ApiKeyRow): ApiKey {
  const { id, name, prefix, user_id, scopes, workspace_id, created_by, last_used_at, revoked_at, revoked_by } = row
  return {
    id,
    name,
    prefix,
    account: user_id,
    scopes,
    ...(workspace_id === null ? {} : { workspace_id }),
    ...(row.daily_cap_micro_usd === null ? {} : { daily_usd: usdFromMicro(row.daily_cap_micro_usd) }),
    status: apiKeyStatus(row),
    created_by,
    created_at: row.created_at,
    expires_at: row.expires_at,
    ...(last_used_at === null ? {} : { last_used_at }),
    ...(revoked_at === null ? {} : { revoked_at }),
    ...(revoked_by === null ? {} : { revoked_by }),
  }
}

export function apiKeyStatus({ revoked_at, is_expired }: ApiKeyRow): ApiKey['status'] {
  return revoked_at !== null ? 'revoked' : is_expired ? 'expired' : 'active'
}

/** Keys as this actor may see them: without the names of people elsewhere. */
export async function apiKeyRecordsFor(
  ctx: Parameters<typeof visibilityOf>[0],
  rows: readonly ApiKeyRow[],
): Promise<ApiKey[]> {
  const isVisible = await visibilityOf(
    ctx,
    rows.flatMap(({ created_by, revoked_by }) => [created_by, revoked_by]),
  )
  return rows.map((row) => {
    const { created_by, revoked_by, ...rest } = toApiKeyRecord(row)
    return {
      ...rest,
      ...(isVisible(row.created_by) && { created_by }),
      ...(isVisible(row.revoked_by) && { revoked_by }),
    }
  })
}

/** Returns where a key may be used: in its own workspace, or in all of its account. */
export function placesOf(
  key: Pick<ApiKeyRow, 'workspace_id'>,
  account: Pick<UserRow, 'workspaces'>,
): Pick<UserRow, 'workspaces'> {
  return { workspaces: key.workspace_id === null ? account.workspaces : [key.workspace_id] }
}

/**
 * Drafts the records of an act on a key, for the logs of the workspaces where it may be used: they hold its prefix, and nothing else of it.
 */
export function apiKeyAudits(
  ctx: Parameters<typeof auditsOf>[0],
  action: 'api_key.created' | 'api_key.revoked',
  { key, account }: { key: Pick<ApiKeyRow, 'id' | 'prefix' | 'user_id' | 'workspace_id'>; account: UserRow },
  data: AuditDraft['data'] = {},
): AuditDraft[] {
  const { id, prefix, user_id } = key
  const drafts = auditsOf(ctx, {
    category: 'admin',
    action,
    user_id,
    logs: logsOf(placesOf(key, account)),
    data: () => ({ prefix, account: user_id, ...data }),
  })
  return drafts.map((draft) => ({ ...draft, subject: { type: 'api_key', id } }))
}
