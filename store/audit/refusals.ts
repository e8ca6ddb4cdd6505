import type { AuditDraft } from '#core/audit/types.ts'
import type { Db } from '../db.ts'
import { inBatches } from '../sql/in-batches.ts'

/** Refusals by kind, subject and user. */
export function createRefusals(db: Db) {
  return {
    /** Returns refusals whose count is not in the audit log yet, and is due. */
    async unreported(limit: number): Promise<{ kind: string; subject_id: string; draft: AuditDraft }[]> {
      return db`
        select kind, subject_id, draft from refusals
        where refused > reported and reported_at < now() - interval '1 minute' and draft is not null
        order by reported_at limit ${limit}`
    },

    /** Deletes reported refusals that did not repeat for a day. Claims are kept: their number is a metric. */
    purge: (): Promise<number> =>
      inBatches(
        (limit) => db`
          delete from refusals where refused = reported and (action, subject_id, kind, who) in (
            select action, subject_id, kind, who from refusals
            where action <> 'claim.refused' and refused = reported and reported_at < now() - interval '1 day'
            order by reported_at limit ${limit})`,
      ),
  }
}

export type Refusals = ReturnType<typeof createRefusals>
