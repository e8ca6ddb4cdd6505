import type { Actor } from '#core/actor.ts'
import type { AuditDraft } from '#core/audit/types.ts'
import type { Channel } from '#core/gate/types.ts'
import { type DeliveryEnd, INBOX_STATUSES, type InboxStatus } from '#core/inbox/item.ts'
import type { JsonObject } from '#core/json/json.ts'
import { asJson, type Db } from '../db.ts'
import { inBatches } from '../sql/in-batches.ts'
import type { TenantDb } from '../tenant-db.ts'

/** A claim that its process has not renewed for this time is that of a process that has ended. */
const CLAIMED_MS = 15_000
const RENEW_MS = 1_000

export interface InboxDraft {
  id: string
  workspace_id: string
  route: string
  source: string | null
  headers: Record<string, string>
  /** as received, or sealed together with `facts` */
  body: string
  /** facts of the route besides the body; empty when it is sealed */
  facts: JsonObject
  sealed: boolean
  body_digest: string
  /** the sender, as known at arrival */
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

/** A delivery that this process works on. */
export interface ClaimedRow extends InboxRow {
  claim: string
  /** earlier claims that neither ended nor were released: the process ended */
  processes_ended: number
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

export type Claim = Pick<ClaimedRow, 'id' | 'claim'>

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
     * Commits a delivery. `claim` requests it in the same statement; that is refused while earlier ones of its workspace wait, and while a
     * suspected crasher is tried again: no other work may run when it crashes the next process. Returns the `claim`.
     */
    async add(
      draft: InboxDraft,
      claim: boolean,
      audit: AuditDraft[] = [],
    ): Promise<InboxRow & { claim: string | null }> {
      const [row] = await db<(InboxRow & { claim: string | null })[]>`
        with line as (
          select ${claim}::boolean and not exists (
            select from inbox_items where workspace_id = ${draft.workspace_id} and status = 'received'
              and (claimed_until is null or claimed_until <= now()))
          and not exists (
            select from inbox_items where status = 'received' and claims <> '{}'
              and cardinality(claims) > case when claimed_until > now() then 1 else 0 end) as free
        ), item as (
          insert into inbox_items (id, workspace_id, route, source, headers, body, facts, sealed, body_digest, actor, channel, attempts,
            claimed_until, claims)
          select ${draft.id}, ${draft.workspace_id}, ${draft.route}, ${draft.source}, ${db.json(draft.headers)}::jsonb, ${draft.body}, ${db.json(asJson(draft.facts))}::jsonb,
            ${draft.sealed}, ${draft.body_digest}, ${db.json(asJson(draft.actor))}::jsonb, ${draft.channel}, free::integer,
            case when free then now() + ${claimed_ms} * interval '1 millisecond' end,
            case when free then array[gen_random_uuid()::text] else '{}' end
          from line
          returning ${columns(db)}, claims[1] as claim
        )
        select item.*, append_audit(${db.json(asJson(audit))}::jsonb) as audit from item`
      if (row === undefined) throw new Error('an inbox item was not written')
      return row
    },

    /** Commits a delivery that was refused before anything was done with it. An earlier attempt may have done so. */
    async addRefused(draft: InboxDraft, error: { code: string; message: string }): Promise<void> {
      await db`
        insert into inbox_items (id, workspace_id, route, source, headers, body, facts, sealed, body_digest, actor, channel, status, error)
        values (${draft.id}, ${draft.workspace_id}, ${draft.route}, ${draft.source}, ${db.json(draft.headers)}::jsonb, ${draft.body},
          ${db.json(asJson(draft.facts))}::jsonb, ${draft.sealed}, ${draft.body_digest}, ${db.json(asJson(draft.actor))}::jsonb,
          ${draft.channel}, 'failed', ${db.json(error)}::jsonb)
        on conflict (id) do nothing`
    },

    /** Claims the longest waiting delivery of any workspace. The attempt is recorded before any work. */
    async next(): Promise<ClaimedRow | undefined> {
      const [row] = await db<ClaimedRow[]>`
        update inbox_items set claimed_until = now() + ${claimed_ms} * interval '1 millisecond', attempts = attempts + 1,
          claims = claims || gen_random_uuid()::text
        where id = (
          select id from inbox_items where status = 'received' and (claimed_until is null or claimed_until <= now())
          order by received_at, id limit 1 for update skip locked)
        returning ${columns(db)}, claims[cardinality(claims)] as claim, cardinality(claims) - 1 as processes_ended`
      return row
    },

    /** Renews a claim until it is released: this process lives, however long its work takes. */
    hold(claim: Claim): { letGo(): void } {
      const renew = () =>
        db`update inbox_items set claimed_until = now() + ${claimed_ms} * interval '1 millisecond'
          where id = ${claim.id} and status = 'received' and claims[cardinality(claims)] = ${claim.claim}::text`
      const timer = setInterval(() => renew().catch(() => undefined), Math.max(claimed_ms / 3, RENEW_MS))
      return { letGo: () => clearInterval(timer) }
    },

    /** Records how the processing ended. A late end changes nothing, unless it was set aside although its process lived. */
    async settle({ id, claim }: Claim, end: DeliveryEnd): Promise<void> {
      await db`
        with settled as (
          update inbox_items set status = ${end.status}, run_id = ${end.run_id ?? null}, claimed_until = null, claims = '{}',
            error = ${end.error === undefined ? null : db.json(end.error)}
          where id = ${id} and (status = 'received' or (status = 'failed' and ${claim}::text = any(claims)))
          returning id
        ) delete from set_aside using settled where kind = 'delivery' and subject = settled.id`
    },

    /** Returns the delivery to its place in the queue, since a dependency is unavailable. The attempt does not count as a crash. */
    async defer({ id, claim }: Claim, error: { code: string; message: string }): Promise<void> {
      await db`
        update inbox_items set error = ${db.json(error)}, claims = array_remove(claims, ${claim}::text),
          claimed_until = case when claims[cardinality(claims)] = ${claim}::text then null else claimed_until end
        where id = ${id} and status = 'received'`
    },

    /** Sets the delivery aside: it crashed every process that worked on it, and is not handed out again. */
    async setAside({ id, claim }: Claim, error: { code: string; message: string }, audit: AuditDraft): Promise<void> {
      await db`
        with item as (
          update inbox_items set status = 'failed', claimed_until = null, attempts = attempts - 1, error = ${db.json(error)},
            claims = array_remove(claims, ${claim}::text)
          where id = ${id} and status = 'received' and ${claim}::text = any(claims)
          returning id, workspace_id
        ), noted as (
          insert into set_aside (kind, subject, workspace_id, reason)
          select 'delivery', id, workspace_id, ${error.message} from item
          on conflict (kind, subject) do nothing
        )
        select append_audit(${db.json(asJson([audit]))}::jsonb) from item`
    },

    /** Records a replay; its run replaces an earlier one. A failed replay leaves it set aside. */
    async noteReplay(id: string, end: DeliveryEnd): Promise<void> {
      await db`
        with replayed as (
          update inbox_items set status = ${end.status === 'failed' ? 'failed' : 'replayed'}, attempts = attempts + 1, claims = '{}',
            run_id = coalesce(${end.run_id ?? null}, run_id), error = ${end.error === undefined ? null : db.json(end.error)}
          where id = ${id} and status <> 'received'
          returning id, status
        ) delete from set_aside using replayed where kind = 'delivery' and subject = replayed.id and replayed.status = 'replayed'`
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

    /** Counts the matches, up to `up_to`. */
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

/** Deletes processed deliveries that are older than this. A sweep calls it. */
export function purgeInbox(db: Db, olderThanMs: number): Promise<number> {
  return inBatches(
    (limit) => db`
      with gone as (
        delete from inbox_items where status <> 'received' and id in (
          select id from inbox_items
          where status <> 'received' and received_at < now() - ${olderThanMs} * interval '1 millisecond'
          order by received_at limit ${limit})
        returning id
      ), forgotten as (
        delete from set_aside using gone where kind = 'delivery' and subject = gone.id
      ) select id from gone`,
  )
}
