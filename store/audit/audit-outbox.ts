import { type ChainHead, GENESIS } from '#core/audit/chain.ts'
import type { AuditDraft } from '#core/audit/types.ts'
import type { LeaseToken } from '#core/lease/lease.ts'
import { asJson, type Db } from '../db.ts'

const ADOPTED_AT_ONCE = 1_000

export interface OutboxRow {
  id: number
  draft: AuditDraft
}

interface PlacedRow extends OutboxRow {
  seq: number | null
  hash: string | null
}

/** A draft with its place in the chain. */
export interface ChainedDraft extends ChainHead {
  draft: AuditDraft
}

/** The line of drafts that wait for their place in the chain, and the places of all that ever had one. Nothing is ever taken out of it. */
export function createAuditOutbox(db: Db) {
  return {
    /** Unsequenced rows in order, at most `limit`, without those of `except`. */
    async waiting(limit: number, except: readonly number[] = []): Promise<OutboxRow[]> {
      return db<OutboxRow[]>`
        select id, draft from audit_outbox where seq is null and id <> all(${[...except]}::bigint[]) order by id limit ${limit}`
    },

    /** Returns the drafts that wait, or have their place behind `after`: one snapshot, so that a concurrent mark is in it or not. */
    async among(draftIds: string[], after: number): Promise<PlacedRow[]> {
      return db<PlacedRow[]>`
        select id, draft, seq, hash from audit_outbox where seq is null and draft ->> 'id' = any(${draftIds}::text[])
        union all
        select id, draft, seq, hash from audit_outbox where seq > ${after} and draft ->> 'id' = any(${draftIds}::text[])`
    },

    /** Notes places in the chain; refused once another process leads. */
    async mark(places: { id: number; seq: number; hash: string }[], { name, epoch }: LeaseToken): Promise<void> {
      await db`
        update audit_outbox o set seq = p.seq, hash = p.hash
        from unnest(${places.map((place) => place.id)}::bigint[], ${places.map((place) => place.seq)}::bigint[],
          ${places.map((place) => place.hash)}::text[]) as p(id, seq, hash)
        where (select require_lease(${name}, ${epoch})) and o.id = p.id and o.seq is null`
    },

    /** The last place that the database knows of. */
    async lastMark(): Promise<ChainHead> {
      const [row] = await db<
        ChainHead[]
      >`select seq, hash from audit_outbox where seq is not null order by seq desc limit 1`
      return row ?? GENESIS
    },

    /** The hashes of the records after `after` up to `to`, by their number. */
    async marks(after: number, to: number): Promise<Map<number, string>> {
      const rows = await db<ChainHead[]>`select seq, hash from audit_outbox where seq > ${after} and seq <= ${to}`
      return new Map(rows.map(({ seq, hash }) => [seq, hash]))
    },

    /** Records after `after` as they were chained, in order, at most `limit`. */
    async chainedAfter(after: number, limit: number): Promise<ChainedDraft[]> {
      return db<
        ChainedDraft[]
      >`select seq, hash, draft from audit_outbox where seq > ${after} order by seq limit ${limit}`
    },

    /** Appends a draft, unless the same one about the same subject waits already. */
    async appendOnce(draft: AuditDraft, { name, epoch }: LeaseToken): Promise<void> {
      await db`
        insert into audit_outbox (draft) select ${db.json(asJson(draft))}::jsonb
        where (select require_lease(${name}, ${epoch})) and not exists (select from audit_outbox where seq is null
          and draft ->> 'action' = ${draft.action} and draft -> 'data' = ${db.json(asJson(draft.data))}::jsonb)`
    },

    /** Copies records of the file that the database lacks, with a record about that, all or nothing. */
    async adopt(records: ChainedDraft[], draft: AuditDraft, { name, epoch }: LeaseToken): Promise<void> {
      await db.begin(async (tx) => {
        await tx`select require_lease(${name}, ${epoch})`
        for (let at = 0; at < records.length; at += ADOPTED_AT_ONCE) {
          const some = records.slice(at, at + ADOPTED_AT_ONCE)
          await tx`
            with given as (
              select * from jsonb_to_recordset(${tx.json(asJson(some))}) as g(seq bigint, hash text, draft jsonb)),
            known as (
              update audit_outbox o set seq = g.seq, hash = g.hash from given g
              where o.seq is null and o.draft ->> 'id' = g.draft ->> 'id' returning g.seq)
            insert into audit_outbox (draft, seq, hash)
            select draft, seq, hash from given where seq not in (select seq from known) order by seq`
        }
        await tx`insert into audit_outbox (draft) values (${tx.json(asJson(draft))})`
      })
    },

    async unmarkedAmong(ids: number[]): Promise<number[]> {
      const rows = await db<
        { id: number }[]
      >`select id from audit_outbox where id = any(${ids}::bigint[]) and seq is null`
      return rows.map((row) => row.id)
    },
  }
}

export type AuditOutbox = ReturnType<typeof createAuditOutbox>
