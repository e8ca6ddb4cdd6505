import type { RunClaim } from '#core/contract.ts'
import type { ReachedStep } from '#core/run/lost-run.ts'
import type { Db } from './db.ts'

/** A run, and its last decision: of its newest gate, or its cancellation. */
export interface QuietRun {
  run_id: string
  decision: string
}

/** Finds what timers cannot see: gates past their time and runs that nothing has moved for long. */
export function createOverdueQueries(db: Db) {
  return {
    /** Returns open gates that expired more than `graceMs` ago. */
    async expiredGates(graceMs: number, limit: number): Promise<(RunClaim & { gate_id: string })[]> {
      return db`
        select g.run_id, g.workspace_id, r.lane, g.id as gate_id from gates g join runs r on r.id = g.run_id
        where g.status = 'open' and g.expires_at < now() - ${graceMs} * interval '1 millisecond'
        order by g.expires_at limit ${limit}`
    },

    /**
     * Returns runs that were approved or told to stop in the last `withinMs`, with no record for `quietMs`: they are at a long step, or the
     * engine has lost the decision.
     */
    async quietSinceDecision(quietMs: number, withinMs: number, limit: number): Promise<QuietRun[]> {
      return db`
        select run_id, decision from (
          select g.run_id, g.id as decision, g.resolved_at as decided_at from gates g join runs r on r.id = g.run_id
          where g.resolved_at between now() - ${withinMs} * interval '1 millisecond' and now() - ${quietMs} * interval '1 millisecond'
            and g.status = 'approved' and r.status = 'running' and r.updated_at < now() - ${quietMs} * interval '1 millisecond'
            and not exists (select from gates later where later.run_id = g.run_id and later.opened_at > g.opened_at)
          union all
          select id, id || '/cancel', updated_at from runs
          where status = 'cancelling' and ended_at is null
            and updated_at between now() - ${withinMs} * interval '1 millisecond' and now() - ${quietMs} * interval '1 millisecond'
        ) quiet order by decided_at limit ${limit}`
    },

    /** Returns those of these runs that have not ended, each with its current step. */
    async activeAmong(runIds: string[]): Promise<(RunClaim & { at: ReachedStep | null })[]> {
      if (runIds.length === 0) return []
      return db`
        select r.id as run_id, r.workspace_id, r.lane, reached.at from runs r join plans p on p.digest = r.plan_digest
        left join lateral (
          select jsonb_build_object('step', t.s ->> 'id', 'operator', t.s ->> 'operator', 'state', coalesce(rs.state, 'pending'),
            'summary', (select view #>> '{plan,summary}' from gates g where g.run_id = r.id and g.step_id = t.s ->> 'id'
              order by opened_at desc limit 1),
            'inputs', coalesce(rs.inputs -> 'value', rs.inputs -> 'excerpt')) as at
          from jsonb_array_elements(p.plan -> 'steps') with ordinality t(s, n)
          left join run_steps rs on rs.run_id = r.id and rs.step_id = t.s ->> 'id'
          where coalesce(rs.state, 'pending') not in ('succeeded', 'skipped', 'failed', 'cancelled', 'expired')
          order by t.n limit 1) reached on true
        where r.id = any(${runIds}::text[]) and r.ended_at is null`
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
