import type { GateStatus } from '#core/gate/types.ts'
import type { JsonObject } from '#core/json/json.ts'
import type { ShownData } from '#core/run/shown-data.ts'
import type { StepState } from '#core/run/status.ts'
import type { TenantDb } from '../tenant-db.ts'

/** A step of the plan with what became of it; null where it has not begun. */
export interface StepRow {
  id: string
  name: string
  operator: string
  operator_version: number
  action_type: string
  state: StepState | null
  run_ended_at: string | null
  attempt: number | null
  plan_hash: string | null
  message: string | null
  inputs: ShownData | null
  outputs: JsonObject | null
  simulation: JsonObject | null
  error: JsonObject | null
  cost_micro_usd: number | null
  started_at: string | null
  ended_at: string | null
  gates: { gate_id: string; status: GateStatus }[]
  taken_over_from: JsonObject | null
}

export interface StepHistory {
  events: { seq: number; type: string; ts: string; data: JsonObject }[]
  /** charges of attempts, by number */
  charges: { attempt: number; micro_usd: number }[]
}

const MAX_EVENTS = 300
/** the newest */
const MAX_LOGS = 200

/** Reads of steps as people see them. */
export function createStepViews(tenants: TenantDb) {
  return {
    /** In the order of the plan; all steps, or the one of this id. Undefined for a foreign or unknown run. */
    async list(workspaceId: string, runId: string, stepId?: string): Promise<StepRow[] | undefined> {
      const [row] = await tenants.in(
        workspaceId,
        (db) => db<{ steps: StepRow[] }[]>`
        select (
          select coalesce(json_agg(json_build_object('id', p.step ->> 'id', 'name', p.step ->> 'name', 'operator', p.step ->> 'operator',
            'operator_version', p.step -> 'operator_version', 'action_type', p.step ->> 'action_type',
            'state', s.state, 'run_ended_at', r.ended_at, 'attempt', s.attempt, 'plan_hash', s.plan_hash, 'message', s.message, 'inputs', s.inputs,
            'outputs', s.outputs, 'simulation', s.simulation, 'error', s.error, 'cost_micro_usd', s.cost_micro_usd,
            'started_at', s.started_at, 'ended_at', s.ended_at, 'taken_over_from', r.provenance -> 'taken_over' -> (p.step ->> 'id'),
            'gates', (select coalesce(json_agg(json_build_object('gate_id', g.id, 'status', g.status) order by g.opened_at), '[]')
              from gates g where g.run_id = r.id and g.step_id = p.step ->> 'id')) order by p.n), '[]')
          from plans, jsonb_array_elements(plans.plan -> 'steps') with ordinality p(step, n)
          left join run_steps s on s.run_id = r.id and s.step_id = p.step ->> 'id'
          where plans.digest = r.plan_digest and p.step ->> 'id' = coalesce(${stepId ?? null}, p.step ->> 'id')) as steps
        from runs r where r.id = ${runId} and r.workspace_id = ${workspaceId}`,
      )
      return row?.steps
    },

    /** Returns the attempts and the log of one step. */
    async history(workspaceId: string, runId: string, stepId: string): Promise<StepHistory> {
      const [row] = await tenants.in(
        workspaceId,
        (db) => db<StepHistory[]>`
        select
          (select coalesce(json_agg(json_build_object('seq', e.seq, 'type', e.type, 'ts', e.ts, 'data', e.data) order by e.seq), '[]')
           from ((select seq, type, ts, data from run_events
             where run_id = ${runId} and step_id = ${stepId} and type in ('step.started', 'step.completed', 'step.failed')
             order by seq limit ${MAX_EVENTS})
             union all
             (select seq, type, ts, data from run_events
             where run_id = ${runId} and step_id = ${stepId} and type = 'step.log'
             order by seq desc limit ${MAX_LOGS})) e) as events,
          (select coalesce(json_agg(json_build_object('attempt', l.attempt,
             'micro_usd', l.llm_micro_usd + l.gpu_micro_usd + l.storage_micro_usd) order by l.attempt), '[]')
           from ledger_entries l where l.run_id = ${runId} and l.step_id = ${stepId}) as charges`,
      )
      return row ?? { events: [], charges: [] }
    },
  }
}

export type StepViews = ReturnType<typeof createStepViews>
