import { AUDIT_CATEGORIES, type AuditCategory, type AuditDraft } from '#core/audit/types.ts'
import type { Db } from '../db.ts'
import type { TenantDb } from '../tenant-db.ts'

export interface AuditFilter {
  workspace_id: string
  category?: AuditCategory | undefined
  actors?: readonly string[] | undefined
  /** only what people did */
  people?: boolean | undefined
  run_id?: string | undefined
  /** RFC 3339 in UTC with milliseconds, as the records have it; `to` itself is not included */
  from?: string | undefined
  to?: string | undefined
}

export interface AuditPlace {
  ts: string
  seq: number
}

/** A record with the hash before it, which may be that of another workspace's record. */
export interface AuditRow {
  seq: number
  hash: string
  prev_hash: string | null
  draft: AuditDraft
}

export interface AuditHead {
  seq: number
  hash: string
  ts: string
}

/** The result of the running check of the file. */
export interface AuditCheck {
  passed_seq: number | null
  passed_at: string | null
  problem: string | null
  problem_seq: number | null
}

/** Ids of people and of service accounts: it spares reading most drafts. Who answers by a link alone has none, but only answers. */
const PEOPLE = 'usr\\_%'

/** Reads of the chain for people, newest first. Every read of records names the workspace. */
export function createAuditViews(db: Db, tenants: TenantDb) {
  const matching = (tenant: Db, { workspace_id, category, actors, people, run_id, from, to }: AuditFilter) => tenant`
    from audit_outbox o where o.seq is not null and o.workspace_id = ${workspace_id}
      ${category === undefined ? tenant`` : tenant`and o.category = ${category}`}
      ${actors === undefined ? tenant`` : tenant`and o.actor_id = any(${[...actors]}::text[])`}
      ${people ? tenant`and (o.actor_id like ${PEOPLE} or o.category = 'approval') and o.draft -> 'actor' ->> 'type' = 'user'` : tenant``}
      ${run_id === undefined ? tenant`` : tenant`and o.run_id = ${run_id}`}
      ${from === undefined ? tenant`` : tenant`and o.ts >= ${from}`}
      ${to === undefined ? tenant`` : tenant`and o.ts < ${to}`}`

  type Part = ReturnType<typeof matching>
  type Page = { limit: number; after?: AuditPlace | undefined }
  const newest = (tenant: Db, matches: Part, { limit, after }: Page) => tenant`
    select o.seq, o.hash, o.draft, o.ts ${matches}
      ${after === undefined ? tenant`` : tenant`and (o.ts, o.seq) < (${after.ts}, ${after.seq}::bigint)`}
    order by o.ts desc, o.seq desc limit ${limit}`
  /** The index of actors has their records by category: of each, no more is read than is wanted. */
  const parts = (tenant: Db, filter: AuditFilter, read: (matches: Part) => Part) => {
    const { actors, category, ...others } = filter
    if (actors === undefined || filter.run_id !== undefined) return read(matching(tenant, filter))
    const categories = category === undefined ? AUDIT_CATEGORIES : [category]
    const matches = tenant`${matching(tenant, others)} and o.actor_id = a.id and o.category = c.name`
    return tenant`
      select part.* from unnest(${[...actors]}::text[]) a (id) cross join unnest(${[...categories]}::text[]) c (name)
        cross join lateral (${read(matches)}) part`
  }

  return {
    async list(filter: AuditFilter, page: Page): Promise<AuditRow[]> {
      const rows = await tenants.in(
        filter.workspace_id,
        (tenant) => tenant<Omit<AuditRow, 'prev_hash'>[]>`
          select seq, hash, draft from (${parts(tenant, filter, (matches) => newest(tenant, matches, page))}) newest
          order by ts desc, seq desc limit ${page.limit}`,
      )
      const before = rows.map(({ seq }) => seq - 1).filter((seq) => seq > 0)
      const hashes = await db<{ seq: number; hash: string }[]>`
        select seq, hash from audit_outbox where seq = any(${before}::bigint[])`
      const bySeq = new Map(hashes.map(({ seq, hash }) => [seq, hash]))
      return rows.map((row) => ({ ...row, prev_hash: bySeq.get(row.seq - 1) ?? null }))
    },

    /** Counts the matches, up to `up_to`. */
    async count(filter: AuditFilter, up_to: number): Promise<number> {
      const [row] = await tenants.in(
        filter.workspace_id,
        (tenant) => tenant<{ count: number }[]>`
          select count(*) as count from (
            select from (${parts(tenant, filter, (matches) => tenant`select ${matches} limit ${up_to}`)}) matching
            limit ${up_to}) counted`,
      )
      return row?.count ?? 0
    },

    /** What these runs of the workspace are about, by their ids. */
    async about(workspace_id: string, run_ids: string[]): Promise<ReadonlyMap<string, string>> {
      const rows = await tenants.in(
        workspace_id,
        (tenant) => tenant<{ id: string; about: string }[]>`
          select id, coalesce(nullif(reason, ''), pack || '/' || template) as about from runs
          where id = any(${run_ids}::text[]) and workspace_id = ${workspace_id}`,
      )
      return new Map(rows.map(({ id, about }) => [id, about]))
    },

    /** The end of the whole chain as the database knows it; undefined while it is empty. */
    async head(): Promise<AuditHead | undefined> {
      const [row] = await db<
        AuditHead[]
      >`select seq, hash, ts from audit_outbox where seq is not null order by seq desc limit 1`
      return row
    },

    async check(): Promise<AuditCheck | undefined> {
      const [row] = await db<AuditCheck[]>`select passed_seq, passed_at, problem, problem_seq from audit_file`
      return row
    },
  }
}

export type AuditViews = ReturnType<typeof createAuditViews>
