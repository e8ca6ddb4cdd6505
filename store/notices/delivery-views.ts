import type { DeliveryState } from '#core/notify/channel-schema.ts'
import {
  ASKING_KINDS,
  type ConnectionNoticeKind,
  type DigestNoticeKind,
  type HaltNoticeKind,
  type NoticeKind,
} from '#core/notify/contract.ts'
import type { Db } from '../db.ts'
import type { TenantDb } from '../tenant-db.ts'

export interface DeliveryRow {
  id: string
  /** null for a message about a halt or a connection, and for one of a digest */
  run_id: string | null
  /** of that run */
  reason: string | null
  /** null for how a run ended */
  gate_id: string | null
  halt_id: string | null
  connection_id: string | null
  /** of a folded notice, and of a message of a digest */
  digest_id: string | null
  kind: NoticeKind | HaltNoticeKind | DigestNoticeKind | ConnectionNoticeKind | 'ended'
  channel: string
  recipient: string
  state: DeliveryState
  attempts: number
  detail: string | null
  planned_at: string
  updated_at: string
  delivered_at: string | null
  next_at: string | null
  /** place in the list, exact to the microsecond */
  position: string
}

export interface DeliveryFilter {
  workspace_id: string
  run_id?: string | undefined
  states?: DeliveryState[] | undefined
  channel?: string | undefined
  since?: string | undefined
  until?: string | undefined
}

interface Place {
  limit: number
  after?: { position: string; id: string } | undefined
}

/** Reads of what became of notices. Every read names the workspace. */
export function createDeliveryViews(tenants: TenantDb) {
  // an id that sorts like its number
  const id = (db: Db) => db`'ntf_' || lpad(n.id::text, 26, '0')`
  // an answered gate needs no further notices
  const state = (db: Db) => db`
    case when n.status in ('delivered', 'folded') then n.status
      when n.kind = any(${[...ASKING_KINDS]}::text[]) and g.status <> 'open' then case n.status when 'planned' then 'cancelled' else 'failed' end
      when n.status = 'planned' then 'planned'
      when n.next_at is null then 'failed' else 'retrying' end`
  const matching = (db: Db, { workspace_id, run_id, states, channel, since, until }: DeliveryFilter) => db`
    from notice_deliveries n left join gates g on g.id = n.gate_id left join runs r on r.id = coalesce(n.run_id, g.run_id)
    where n.workspace_id = ${workspace_id}
      ${run_id === undefined ? db`` : db`and (n.run_id = ${run_id} or n.gate_id in (select id from gates where run_id = ${run_id}))`}
      ${states === undefined ? db`` : db`and ${state(db)} = any(${states}::text[])`}
      ${channel === undefined ? db`` : db`and n.channel = ${channel}`}
      ${since === undefined ? db`` : db`and n.planned_at >= ${since}::timestamptz`}
      ${until === undefined ? db`` : db`and n.planned_at < ${until}::timestamptz`}`

  return {
    /** Newest first, after a place in the list. */
    list: (filter: DeliveryFilter, { limit, after }: Place): Promise<DeliveryRow[]> =>
      tenants.in(
        filter.workspace_id,
        (db) => db<DeliveryRow[]>`
          select ${id(db)} as id, coalesce(n.run_id, g.run_id) as run_id, r.reason, n.gate_id, n.halt_id, n.connection_id, n.digest_id, n.kind, n.channel, n.recipient, ${state(db)} as state, n.attempts, n.detail,
            n.planned_at, n.updated_at, n.delivered_at, n.next_at, n.planned_at::text as position
          ${matching(db, filter)}
            ${after === undefined ? db`` : db`and (n.planned_at, n.id) < (${after.position}::timestamptz, ${numberOf(after.id)}::bigint)`}
          order by n.planned_at desc, n.id desc limit ${limit}`,
      ),

    async count(filter: DeliveryFilter, up_to: number): Promise<number> {
      const [row] = await tenants.in(
        filter.workspace_id,
        (db) => db<{ count: number }[]>`
          select count(*) as count from (select ${matching(db, filter)} limit ${up_to}) counted`,
      )
      return row?.count ?? 0
    },
  }
}

/** An unknown form of an id comes after all known ones. */
function numberOf(id: string): string {
  return /^ntf_0{8,}(\d{1,18})$/.exec(id)?.[1] ?? '0'
}

export type DeliveryViews = ReturnType<typeof createDeliveryViews>
