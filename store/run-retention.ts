import type { AuditDraft } from '#core/audit/types.ts'
import { asJson } from './as-json.ts'
import type { Db } from './db.ts'

/** Runs that ended long ago, of all workspaces. */
export function createRunRetention(db: Db) {
  return {
    /** Those that ended before this many days and may be forgotten, the oldest first. */
    async expired(days: number, limit: number): Promise<{ id: string; workspace_id: string; ended_at: string }[]> {
      return db`
        select id, workspace_id, ended_at from runs r
        where ended_at < now() - ${days}::integer * interval '1 day'
          and not exists (select from gates g where g.run_id = r.id and g.status = 'open')
          and not exists (select from start_outbox o where o.run_id = r.id)
        order by r.ended_at limit ${limit}`
    },

    /** Forgets the run of each record with everything that hangs on it, if it may be; answers how many. */
    async forget(records: AuditDraft[], days: number): Promise<number> {
      const [row] = await db<{ forgotten: number }[]>`
        select forget_runs(${db.json(asJson(records))}, ${days}::integer) as forgotten`
      return row?.forgotten ?? 0
    },
  }
}

export type RunRetention = ReturnType<typeof createRunRetention>
