import type { AuditDraft } from '#core/audit/types.ts'
import type { Db } from '../db.ts'
import { inBatches } from '../sql/in-batches.ts'

/** What was refused, by kind, subject and person. */
export function createRefusals(db: Db) {
  return {
    /** Refusals of which the audit log does not know the number yet and may be told. */
    async unreported(limit: number): Promise<{ kind: string; subject_id: string; draft: AuditDraft }[]> {
      return db`
        select kind, subject_id, draft from refusals
        where refused > reported and reported_at < now() - interval '1 minute' and draft is not null
        order by reported_at limit ${limit}`
    },

    /** Forgets what was told and has not come again for a day. Claims are kept: their number is a metric. */
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
