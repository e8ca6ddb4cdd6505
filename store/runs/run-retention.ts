import type { Db } from '../db.ts'

/** Runs and pipelines that ended long ago, of all workspaces. */
export function createRunRetention(db: Db) {
  return {
    /** Returns runs that ended before this many days and may be deleted, oldest first. */
    async expired(days: number, limit: number): Promise<string[]> {
      const rows = await db<{ id: string }[]>`
        select id from runs r
        where ended_at < now() - ${days}::integer * interval '1 day'
          and not exists (select from gates g where g.run_id = r.id and g.status = 'open')
          and not exists (select from start_outbox o where o.run_id = r.id)
          and not exists (select from pipelines p where p.id = r.pipeline_id
            and (p.ended_at is null or p.ended_at >= now() - ${days}::integer * interval '1 day'))
        order by r.ended_at limit ${limit}`
      return rows.map(({ id }) => id)
    },

    /** Deletes each run with everything that belongs to it, if allowed, with a record under the id beside it; returns the count. */
    async forget(runs: { run_id: string; audit_id: string }[], days: number): Promise<number> {
      const [row] = await db<{ forgotten: number }[]>`
        select forget_runs(${db.json(runs)}, ${days}::integer) as forgotten`
      return row?.forgotten ?? 0
    },

    /** Returns pipelines that ended before this many days and whose runs were deleted, oldest first. */
    async expiredPipelines(days: number, limit: number): Promise<string[]> {
      const rows = await db<{ id: string }[]>`
        select id from pipelines p
        where ended_at < now() - ${days}::integer * interval '1 day'
          and not exists (select from runs r where r.pipeline_id = p.id)
        order by ended_at limit ${limit}`
      return rows.map(({ id }) => id)
    },

    async forgetPipelines(pipelines: { pipeline_id: string; audit_id: string }[], days: number): Promise<number> {
      const [row] = await db<{ forgotten: number }[]>`
        select forget_pipelines(${db.json(pipelines)}, ${days}::integer) as forgotten`
      return row?.forgotten ?? 0
    },
  }
}

export type RunRetention = ReturnType<typeof createRunRetention>
