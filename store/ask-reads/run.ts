import type { JsonObject } from '#core/json/json.ts'
import type { MicroUsd } from '#core/money.ts'
import type { AskRead } from './read.ts'
import type { AskRunRow } from './runs.ts'

export interface AskRunDetail extends AskRunRow {
  template_version: string
  profile: string
  dry_run: boolean
  inputs: JsonObject
  outputs: JsonObject | null
  error: JsonObject | null
  actor: JsonObject | null
  human_root: JsonObject | null
  llm_micro_usd: MicroUsd
  gpu_micro_usd: MicroUsd
  storage_micro_usd: MicroUsd
  reserved_micro_usd: MicroUsd
  cap_micro_usd: MicroUsd
  alert: JsonObject | null
}

/** Returns a run without its steps and events. */
export async function findAskRun(
  { workspace_id, in: read }: AskRead,
  runId: string,
): Promise<AskRunDetail | undefined> {
  const [row] = await read(
    (db) => db<AskRunDetail[]>`
    select r.id as run_id, r.pack || '/' || r.template as template, r.template_version, r.status, r.status_reason, r.environment, r.risk,
      r.profile, r.dry_run, r.trigger_type as trigger, r.reason, r.error ->> 'message' as failure, r.attached_count, r.inputs, r.outputs, r.error,
      r.provenance -> 'actor' as actor, r.provenance -> 'human_root' as human_root,
      r.llm_micro_usd + r.gpu_micro_usd + r.storage_micro_usd as cost_micro_usd, r.llm_micro_usd, r.gpu_micro_usd, r.storage_micro_usd,
      r.reserved_micro_usd, r.cap_micro_usd, r.created_at, r.started_at, r.awaiting_since, r.ended_at,
      (select a.alert from run_trigger_alerts a where a.run_id = r.id) as alert
    from runs r where r.workspace_id = ${workspace_id} and r.id = ${runId}`,
  )
  return row
}

export interface AskStepRow {
  step: string
  state: string
  attempt: number
  message: string | null
  error: JsonObject | null
  cost_micro_usd: MicroUsd
  started_at: string | null
  ended_at: string | null
}

export async function listAskSteps({ workspace_id, in: read }: AskRead, runId: string): Promise<AskStepRow[]> {
  return await read(
    (db) => db<AskStepRow[]>`
    select s.step_id as step, s.state, s.attempt, s.message, s.error, s.cost_micro_usd, s.started_at, s.ended_at
    from runs r join run_steps s on s.run_id = r.id
    where r.workspace_id = ${workspace_id} and r.id = ${runId} order by s.ordinal limit 100`,
  )
}

export interface AskStepDetail extends AskStepRow {
  inputs: JsonObject | null
  outputs: JsonObject | null
  simulation: JsonObject | null
}

export async function findAskStep(
  { workspace_id, in: read }: AskRead,
  { run_id, step }: { run_id: string; step: string },
): Promise<AskStepDetail | undefined> {
  const [row] = await read(
    (db) => db<AskStepDetail[]>`
    select s.step_id as step, s.state, s.attempt, s.message, s.error, s.cost_micro_usd, s.started_at, s.ended_at, s.inputs, s.outputs,
      s.simulation
    from runs r join run_steps s on s.run_id = r.id
    where r.workspace_id = ${workspace_id} and r.id = ${run_id} and s.step_id = ${step}`,
  )
  return row
}

export interface AskEventRow {
  seq: number
  type: string
  ts: string
  step: string | null
  data: JsonObject
}

/** The last events of a run, oldest first. */
export async function listAskEvents(
  { workspace_id, in: read }: AskRead,
  { run_id, type }: { run_id: string; type?: string | undefined },
  limit: number,
): Promise<AskEventRow[]> {
  const rows = await read(
    (db) => db<AskEventRow[]>`
    select e.seq, e.type, e.ts, e.step_id as step, e.data from runs r join run_events e on e.run_id = r.id
    where r.workspace_id = ${workspace_id} and r.id = ${run_id} ${type === undefined ? db`` : db`and e.type = ${type}`}
    order by e.seq desc limit ${limit}`,
  )
  return rows.reverse()
}
