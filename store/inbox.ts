import type { Actor } from '#core/actor.ts'
import type { AuditDraft } from '#core/audit/types.ts'
import type { Channel } from '#core/gate/types.ts'
import { type DeliveryEnd, INBOX_STATUSES, type InboxStatus } from '#core/inbox/item.ts'
import type { JsonObject } from '#core/json.ts'
import { asJson } from './as-json.ts'
import type { Db } from './db.ts'
import { inBatches } from './in-batches.ts'
import type { TenantDb } from './tenant-db.ts'

/** Whoever holds an item and has not settled it after this time has died. */
const CLAIMED_MS = 15_000

export interface InboxDraft {
  id: string
  workspace_id: string
  route: string
  source: string | null
  headers: Record<string, string>
  /** as received, or sealed together with `facts` */
  body: string
  /** what the route knows beside the body; empty when it is sealed */
  facts: JsonObject
  sealed: boolean
  body_digest: string
  /** who sent it, as was known when it arrived */
  actor: Omit<Actor, 'email'>
  channel: Channel
}

export interface InboxRow extends InboxDraft {
  received_at: string
  status: InboxStatus
  attempts: number
  run_id: string | null
  error: { code: string; message: string } | null
  /** place in the list, exact to the microsecond */
  position: string
}

export interface InboxFilter {
  workspace_id: string
  ids?: string[] | undefined
  statuses?: InboxStatus[] | undefined
  route?: string | undefined
  source?: string | undefined
  since?: string | undefined
  until?: string | undefined
}

interface Place {
  position: string
  id: string
}

/** Deliveries that were committed before they were processed. */
export function createInboxStore(db: Db, tenants: TenantDb, options: { claimed_ms?: number } = {}) {
  const claimed_ms = options.claimed_ms ?? CLAIMED_MS
  const columns = (sql: Db) => sql`
    id, workspace_id, received_at, route, source, status, attempts, run_id, error, headers, body, facts, sealed, body_digest, actor,
    channel, received_at::text as position`
  // each status is a stretch of one index in the order of the list, alone, of a route and of a source
  const statuses = (sql: Db, filter: InboxFilter) => sql`
    unnest(${[...new Set(filter.statuses ?? INBOX_STATUSES)]}::text[]) as s(status)`
  const ofStatus = (sql: Db, filter: InboxFilter) => sql`
    workspace_id = ${filter.workspace_id} and inbox_items.status = s.status
    ${filter.ids === undefined ? sql`` : sql`and id = any(${filter.ids}::text[])`}
    ${filter.route === undefined ? sql`` : sql`and route = ${filter.route}`}
    ${filter.source === undefined ? sql`` : sql`and source = ${filter.source}`}
    ${filter.since === undefined ? sql`` : sql`and received_at >= ${filter.since}::timestamptz`}
    ${filter.until === undefined ? sql`` : sql`and received_at < ${filter.until}::timestamptz`}`

  return {
    /**
     * Commits a delivery. `claim` asks for it in the same breath, which is refused while others of its workspace wait: they were
     * first. Answers with `claimed`.
     */
    async add(draft: InboxDraft, claim: boolean, audit: AuditDraft[] = []): Promise<InboxRow & { claimed: boolean }> {
      const [row] = await db<(InboxRow & { claimed: boolean })[]>`
        with line as (
          select ${claim}::boolean and not exists (
            select from inbox_items where workspace_id = ${draft.workspace_id} and status = 'received'
              and (claimed_until is null or claimed_until <= now())) as free
        ), item as (
          insert into inbox_items (id, workspace_id, route, source, headers, body, facts, sealed, body_digest, actor, channel, attempts,
            claimed_until)
          select ${draft.id}, ${draft.workspace_id}, ${draft.route}, ${draft.source}, ${db.json(draft.headers)}::jsonb, ${draft.body}, ${db.json(asJson(draft.facts))}::jsonb,
            ${draft.sealed}, ${draft.body_digest}, ${db.json(asJson(draft.actor))}::jsonb, ${draft.channel}, free::integer,
            case when free then now() + ${claimed_ms} * interval '1 millisecond' end
          from line
          returning ${columns(db)}, claimed_until is not null as claimed
        )
        select item.*, append_audit(${db.json(asJson(audit))}::jsonb) as audit from item`
      if (row === undefined) throw new Error('an inbox item was not written')
      return row
    },

    /** Takes the delivery that waits longest, of any workspace. */
    async next(): Promise<InboxRow | undefined> {
      const [row] = await db<InboxRow[]>`
        update inbox_items set claimed_until = now() + ${claimed_ms} * interval '1 millisecond', attempts = attempts + 1
        where id = (
          select id from inbox_items where status = 'received' and (claimed_until is null or claimed_until <= now())
          order by received_at, id limit 1 for update skip locked)
        returning ${columns(db)}`
      return row
    },

    /** Notes how the processing ended. Whoever is late changes nothing. */
    async settle(id: string, end: DeliveryEnd): Promise<void> {
      await db`
        update inbox_items set status = ${end.status}, run_id = ${end.run_id ?? null}, claimed_until = null,
          error = ${end.error === undefined ? null : db.json(end.error)}
        where id = ${id} and status = 'received'`
    },

    /** Puts the delivery back in its place in the line: what it needs is away. */
    async defer(id: string, error: { code: string; message: string }): Promise<void> {
      await db`
        update inbox_items set claimed_until = null, error = ${db.json(error)} where id = ${id} and status = 'received'`
    },

    /** Notes a replay; a run that it led to takes the place of an earlier one. */
    async noteReplay(id: string, end: DeliveryEnd): Promise<void> {
      await db`
        update inbox_items set status = ${end.status === 'failed' ? 'failed' : 'replayed'}, attempts = attempts + 1,
          run_id = coalesce(${end.run_id ?? null}, run_id), error = ${end.error === undefined ? null : db.json(end.error)}
        where id = ${id} and status <> 'received'`
    },

    /** Newest first, after a place in the list. */
    async list(
      filter: InboxFilter,
      { limit, after }: { limit: number; after?: Place | undefined },
    ): Promise<InboxRow[]> {
      return tenants.in(filter.workspace_id, (sql) => {
        const beyond =
          after === undefined ? sql`` : sql`and (received_at, id) < (${after.position}::timestamptz, ${after.id})`
        return sql<InboxRow[]>`
          select ${columns(sql)} from inbox_items where id = any(array(
            select page.id from ${statuses(sql, filter)} cross join lateral (
              select id, received_at from inbox_items where ${ofStatus(sql, filter)} ${beyond}
              order by received_at desc, id desc limit ${limit}
            ) page order by page.received_at desc, page.id desc limit ${limit}))
          order by inbox_items.received_at desc, id desc`
      })
    },

    /** How many there are, counted no further than `up_to`. */
    async count(filter: InboxFilter, up_to: number): Promise<number> {
      const [row] = await tenants.in(
        filter.workspace_id,
        (sql) => sql<{ count: number }[]>`
          select count(*) as count from (
            select from ${statuses(sql, filter)} cross join lateral (
              select from inbox_items where ${ofStatus(sql, filter)} order by received_at, id limit ${up_to}
            ) of_status limit ${up_to}) counted`,
      )
      return row?.count ?? 0
    },

    /** In the order of receipt, for a replay. */
    async select(filter: InboxFilter, limit: number): Promise<InboxRow[]> {
      return tenants.in(
        filter.workspace_id,
        (sql) => sql<InboxRow[]>`
          select ${columns(sql)} from inbox_items where id = any(array(
            select page.id from ${statuses(sql, filter)} cross join lateral (
              select id, received_at from inbox_items where ${ofStatus(sql, filter)} order by received_at, id limit ${limit}
            ) page order by page.received_at, page.id limit ${limit}))
          order by inbox_items.received_at, id`,
      )
    },
  }
}

export type InboxStore = ReturnType<typeof createInboxStore>

/** Forgets deliveries that are older than this; never one that waits. A sweep calls it. */
export function purgeInbox(db: Db, olderThanMs: number): Promise<number> {
  return inBatches(
    (limit) => db`
      delete from inbox_items where status <> 'received' and id in (
        select id from inbox_items
        where status <> 'received' and received_at < now() - ${olderThanMs} * interval '1 millisecond'
        order by received_at limit ${limit})`,
  )
}
