import type { ApiKey } from '#core/api-key/schema.ts'
import type { AuditDraft } from '#core/audit/types.ts'
import { usdFromMicro } from '#core/money.ts'
import type { ApiKeyRow } from '#store/api-keys.ts'
import { auditOf } from '../auth/identity.ts'

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
    status: revoked_at !== null ? 'revoked' : row.is_expired ? 'expired' : 'active',
    created_by,
    created_at: row.created_at,
    expires_at: row.expires_at,
    ...(last_used_at === null ? {} : { last_used_at }),
    ...(revoked_at === null ? {} : { revoked_at }),
    ...(revoked_by === null ? {} : { revoked_by }),
  }
}

/** What was done about a key, and to which: its beginning tells people which one, and nothing else of it is ever written. */
export function apiKeyAudit(
  ctx: Parameters<typeof auditOf>[0],
  action: 'api_key.created' | 'api_key.revoked',
  key: Pick<ApiKeyRow, 'id' | 'prefix' | 'user_id'>,
  data: AuditDraft['data'] = {},
): AuditDraft {
  const { id, prefix, user_id } = key
  const draft = auditOf(ctx, { category: 'admin', action, user_id, data: { prefix, account: user_id, ...data } })
  return { ...draft, subject: { type: 'api_key', id } }
}
