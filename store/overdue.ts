import type { GateSettlement } from '#core/contract.ts'
import type { Required } from '#core/gate/types.ts'
import type { Db } from './db.ts'

/** Finds what timers cannot see: gates past their time and runs that nothing has moved for long. */
export function createOverdueQueries(db: Db) {
  return {
    /** Gates whose time ended more than `graceMs` ago, as settlements that expire them. */
    async expiredGates(graceMs: number, limit: number): Promise<GateSettlement[]> {
      const rows = await db<
        {
          run_id: string
          workspace_id: string
          gate_id: string
          step_id: string
          plan_hash: string
          expires_at: string
          required: Required
        }[]
      >`
        select run_id, workspace_id, id as gate_id, step_id, plan_hash, expires_at, required from gates
        where status = 'open' and expires_at < now() - ${graceMs} * interval '1 millisecond'
        order by expires_at limit ${limit}`
      return rows.map(({ run_id, workspace_id, gate_id, step_id, plan_hash, expires_at, required }) => ({
        run_id,
        workspace_id,
        gate: { gate_id, step: step_id, plan_hash, expires_at, required, requested_by: null },
        resolution: 'expired',
        cause: 'ttl',
        command: null,
        cancel: null,
        approvals: { have: 0, need: required.approvals },
      }))
    },

    /** Active runs that have not moved for a while; whoever asks finds out whether their workflow still lives. */
    async quietRuns(quietMs: number, limit: number): Promise<{ run_id: string; workspace_id: string }[]> {
      return db`
        select id as run_id, workspace_id from runs
        where status in ('running', 'cancelling', 'awaiting_approval') and updated_at < now() - ${quietMs} * interval '1 millisecond'
        order by updated_at desc limit ${limit}`
    },
  }
}

export type OverdueQueries = ReturnType<typeof createOverdueQueries>
