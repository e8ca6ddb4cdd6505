import type { AuditCategory } from '#core/audit/types.ts'
import type { JsonObject } from '#core/json/json.ts'
import type { AskRead } from './read.ts'

export interface AskAuditFilter {
  category?: AuditCategory | undefined
  action?: string | undefined
  actor?: string | undefined
  run_id?: string | undefined
  since_hours?: number | undefined
}

export interface AskAuditRow {
  seq: number
  ts: string
  category: string
  action: string
  actor: JsonObject
  channel: string | null
  run_id: string | null
  subject: JsonObject
  data: JsonObject
}

/** Records of the chain, newest first. */
export async function listAskAudit(
  { workspace_id, in: read }: AskRead,
  { category, action, actor, run_id, since_hours }: AskAuditFilter,
  limit: number,
): Promise<AskAuditRow[]> {
  return await read(
    (db) => db<AskAuditRow[]>`
    select o.seq, o.ts, o.category, o.action, o.draft -> 'actor' as actor, o.draft ->> 'channel' as channel, o.run_id,
      o.draft -> 'subject' as subject, o.draft -> 'data' as data
    from audit_outbox o where o.seq is not null and o.workspace_id = ${workspace_id}
      ${category === undefined ? db`` : db`and o.category = ${category}`}
      ${action === undefined ? db`` : db`and o.action = ${action}`}
      ${actor === undefined ? db`` : db`and o.actor_id = ${actor}`}
      ${run_id === undefined ? db`` : db`and o.run_id = ${run_id}`}
      ${since_hours === undefined ? db`` : db`and o.ts >= to_char((now() - ${since_hours}::float8 * interval '1 hour') at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`}
    order by o.ts desc, o.seq desc limit ${limit}`,
  )
}
