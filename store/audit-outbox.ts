import type { AuditDraft } from '#core/audit/types.ts'
import type { Db } from './db.ts'

export interface OutboxRow {
  id: number
  draft: AuditDraft
}

/** The line of drafts that wait for their place in the chain. */
export function createAuditOutbox(db: Db) {
  return {
    /** Unsequenced rows in order, at most `limit`. */
    async waiting(limit: number): Promise<OutboxRow[]> {
      return db<OutboxRow[]>`select id, draft from audit_outbox where seq is null order by id limit ${limit}`
    },

    async mark(places: { id: number; seq: number; hash: string }[]): Promise<void> {
      await db`
        update audit_outbox o set seq = p.seq, hash = p.hash
        from unnest(${places.map((place) => place.id)}::bigint[], ${places.map((place) => place.seq)}::bigint[],
          ${places.map((place) => place.hash)}::text[]) as p(id, seq, hash)
        where o.id = p.id and o.seq is null`
    },

    /** The last place that the database knows of. */
    async lastMarked(): Promise<number> {
      const [row] = await db<{ seq: number | null }[]>`select max(seq) as seq from audit_outbox`
      return row?.seq ?? 0
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
