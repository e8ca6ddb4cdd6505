import type { KeyScope } from '#core/api-key/scopes.ts'
import { asJson, type Db } from './db.ts'
import type { UserAudit, UserCircle } from './users.ts'

export interface ApiKeyRow {
  id: string
  account_id: string
  user_id: string
  name: string
  prefix: string
  scopes: KeyScope[]
  workspace_id: string | null
  /** daily cap of its model calls, in UTC; null for none of its own */
  daily_cap_micro_usd: number | null
  created_by: string
  created_at: string
  expires_at: string
  last_used_at: string | null
  revoked_at: string | null
  revoked_by: string | null
  /** by the database clock */
  is_expired: boolean
  /** place in the list, exact to the microsecond */
  position: string
}

export interface NewApiKey
  extends Pick<
    ApiKeyRow,
    | 'id'
    | 'account_id'
    | 'user_id'
    | 'name'
    | 'prefix'
    | 'scopes'
    | 'workspace_id'
    | 'daily_cap_micro_usd'
    | 'created_by'
  > {
  /** sha256 of the key, in hex */
  hash: string
  days: number
}

/** Interval of updating its last use. */
const NOTED_S = 60

/** API keys. Every change is one statement with its audit record; of a key only the digest is given. */
export function createApiKeyStore(db: Db) {
  const columns = db`
    id, account_id, user_id, name, prefix, scopes, workspace_id, daily_cap_micro_usd, created_by, created_at, expires_at, last_used_at,
    revoked_at, revoked_by, expires_at <= now() as is_expired, created_at::text as position`

  const drafts = (audit: UserAudit) => db`jsonb_array_elements(${db.json(asJson([audit].flat()))})`
  // a key of a workspace belongs to that one alone, whatever its account may enter
  const within = ({ account_id, workspaces }: UserCircle) => db`
    account_id = ${account_id}
    ${
      workspaces === '*'
        ? db``
        : db`and coalesce(workspace_id = any (${[...workspaces]}::text[]), true) and exists (
            select from users u where u.id = api_keys.user_id
              and ('*' = any (u.workspaces) or u.workspaces && ${[...workspaces]}::text[]))`
    }`

  return {
    async create({ days, ...key }: NewApiKey, audit: UserAudit): Promise<ApiKeyRow> {
      const [row] = await db<ApiKeyRow[]>`
        with made as (
          insert into api_keys (id, account_id, user_id, name, prefix, hash, scopes, workspace_id, daily_cap_micro_usd, created_by, expires_at)
          values (${key.id}, ${key.account_id}, ${key.user_id}, ${key.name}, ${key.prefix}, ${key.hash}, ${key.scopes},
            ${key.workspace_id}, ${key.daily_cap_micro_usd}, ${key.created_by}, now() + ${days} * interval '1 day')
          returning *
        ), noted as (
          insert into audit_outbox (draft) select ${drafts(audit)} from made
        )
        select ${columns} from made`
      return row as ApiKeyRow
    },

    async find(id: string): Promise<ApiKeyRow | undefined> {
      const [row] = await db<ApiKeyRow[]>`select ${columns} from api_keys where id = ${id}`
      return row
    },

    /** Returns the key of this digest in any state. The use of a valid one is noted, at most once a minute. */
    async show(hash: string): Promise<ApiKeyRow | undefined> {
      const [row] = await db<ApiKeyRow[]>`
        with noted as (
          update api_keys set last_used_at = now()
          where hash = ${hash} and revoked_at is null and expires_at > now()
            and (last_used_at is null or last_used_at < now() - ${NOTED_S} * interval '1 second')
        )
        select ${columns} from api_keys where hash = ${hash}`
      return row
    },

    /** Newest first, after a place in the list. */
    async list(
      circle: UserCircle,
      page: { limit: number; after?: { position: string; id: string } | undefined },
    ): Promise<ApiKeyRow[]> {
      return db<ApiKeyRow[]>`
        select ${columns} from api_keys
        where ${within(circle)}
          ${page.after === undefined ? db`` : db`and (created_at, id) < (${page.after.position}::timestamptz, ${page.after.id})`}
        order by created_at desc, id desc limit ${page.limit}`
    },

    async count(circle: UserCircle, up_to: number): Promise<number> {
      const [row] = await db<{ count: number }[]>`
        select count(*) as count from (select from api_keys where ${within(circle)} limit ${up_to}) counted`
      return row?.count ?? 0
    },

    /** Revokes it; a revoked key stays unchanged, without another record. */
    async revoke(id: string, by: string, audit: UserAudit): Promise<void> {
      await db`
        with ended as (
          update api_keys set revoked_at = now(), revoked_by = ${by} where id = ${id} and revoked_at is null returning id
        )
        insert into audit_outbox (draft) select ${drafts(audit)} from ended`
    },
  }
}

export type ApiKeyStore = ReturnType<typeof createApiKeyStore>
