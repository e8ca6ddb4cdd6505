import type { RunClaim } from '#core/contract.ts'
import type { Db } from './db.ts'

/** A run, and the newest of its gates. */
export interface ApprovedRun {
  run_id: string
  gate_id: string
}

/** Finds what timers cannot see: gates past their time and runs that nothing has moved for long. */
export function createOverdueQueries(db: Db) {
  return {
    /** Open gates whose time ended more than `graceMs` ago. */
    async expiredGates(graceMs: number, limit: number): Promise<(RunClaim & { gate_id: string })[]> {
      return db`
        select g.run_id, g.workspace_id, r.lane, g.id as gate_id from gates g join runs r on r.id = g.run_id
        where g.status = 'open' and g.expires_at < now() - ${graceMs} * interval '1 millisecond'
        order by g.expires_at limit ${limit}`
    },

    /**
     * Runs that go on after an approval of the last `withinMs`, and of which nothing was recorded for `quietMs`: they are at a long
     * step, or the engine has lost the approval.
     */
    async quietSinceApproval(quietMs: number, withinMs: number, limit: number): Promise<ApprovedRun[]> {
      return db`
        select g.run_id, g.id as gate_id from gates g join runs r on r.id = g.run_id
        where g.resolved_at between now() - ${withinMs} * interval '1 millisecond' and now() - ${quietMs} * interval '1 millisecond'
          and g.status = 'approved' and r.status = 'running' and r.updated_at < now() - ${quietMs} * interval '1 millisecond'
          and not exists (select from gates later where later.run_id = g.run_id and later.opened_at > g.opened_at)
        order by g.resolved_at limit ${limit}`
    },

    /** Those of these runs that have not ended. */
    async activeAmong(runIds: string[]): Promise<RunClaim[]> {
      if (runIds.length === 0) return []
      return db`
        select id as run_id, workspace_id, lane from runs where id = any(${runIds}::text[]) and ended_at is null`
    },

    /** Active runs that were started and admitted this long ago. */
    async activeRuns(olderThanMs: number): Promise<string[]> {
      const rows = await db<{ id: string }[]>`
        select id from runs where ended_at is null and created_at < now() - ${olderThanMs} * interval '1 millisecond'
          and not exists (select from start_outbox where run_id = runs.id)`
      return rows.map(({ id }) => id)
    },
  }
}

export type OverdueQueries = ReturnType<typeof createOverdueQueries>
