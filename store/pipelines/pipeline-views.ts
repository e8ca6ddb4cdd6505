import type { EnvironmentClass } from '#core/environment/environment.ts'
import type { JsonObject } from '#core/json/json.ts'
import type { Closing, PipelineError } from '#core/pipeline/snapshot.ts'
import { PIPELINE_ENDS, type PipelineStatus, type PipelineStepState } from '#core/pipeline/transitions.ts'
import type { PipelineDefinition } from '#core/pipeline/types.ts'
import type { RunStatus } from '#core/run/status.ts'
import { DAY_MS } from '#core/time/time.ts'
import type { Db } from '../db.ts'
import type { TenantDb } from '../tenant-db.ts'

/** A run of a step, by its own record; `starting` and `refused` have none. */
export interface PipelineRunView {
  run_id: string
  index: number
  role: 'run' | 'compensation'
  status: 'starting' | 'refused' | RunStatus
  /** the gate at which it waits */
  gate_id: string | null
  error: PipelineError | null
  total_micro_usd: number
}

/** Times are as Postgres writes them in JSON. */
export interface PipelineStepView {
  id: string
  state: PipelineStepState
  reason: string | null
  started_at: string | null
  ended_at: string | null
  deadline_at: string | null
  fire_at: string | null
  topic: string | null
  advanced: JsonObject | null
  outputs: JsonObject | null
  error: PipelineError | null
  runs: PipelineRunView[]
}

/** A pipeline with everything that people see of it. */
export interface PipelineView {
  id: string
  workspace_id: string
  name: string
  bundle_path: string
  bundle_digest: string
  definition: PipelineDefinition
  environment: string
  environment_class: EnvironmentClass
  profile: string
  status: PipelineStatus
  inputs: JsonObject
  outputs: JsonObject | null
  error: PipelineError | null
  closing: Closing | null
  cancel: JsonObject | null
  reason: string | null
  provenance: JsonObject
  cap_micro_usd: number
  spent_micro_usd: number
  reserved_micro_usd: number
  created_at: string
  started_at: string | null
  ended_at: string | null
  updated_at: string
  /** place in the list, exact to the microsecond */
  position: string
  steps: PipelineStepView[]
}

/** The inputs of a step's run: from the pipeline, and the full ones if they are recorded. Secrets are marks. */
export interface GivenInputs {
  step_id: string
  index: number
  inputs: JsonObject
  run_inputs: JsonObject | null
  provenance: JsonObject | null
}

export interface PipelineFilter {
  workspace_id: string
  statuses?: PipelineStatus[] | undefined
  /** the first characters of its id */
  id?: string | undefined
  name?: string | undefined
  environment?: string | undefined
}

export function createPipelineViews(tenants: TenantDb) {
  return {
    async find(workspaceId: string, id: string): Promise<PipelineView | undefined> {
      const [row] = await tenants.in(
        workspaceId,
        (db) =>
          db<
            PipelineView[]
          >`select ${columns(db)} from ${joined(db)} where p.id = ${id} and p.workspace_id = ${workspaceId}`,
      )
      return row
    },

    /** Returns the first gate of a run, open or not. */
    async firstGate(workspaceId: string, runId: string): Promise<string | undefined> {
      const [row] = await tenants.in(
        workspaceId,
        (db) => db<{ id: string }[]>`
        select g.id from gates g join runs r on r.id = g.run_id
        where g.run_id = ${runId} and r.workspace_id = ${workspaceId} order by g.opened_at limit 1`,
      )
      return row?.id
    },

    async given(workspaceId: string, id: string, entries: number[]): Promise<GivenInputs[]> {
      return tenants.in(
        workspaceId,
        (db) => db<GivenInputs[]>`
        select c.step_id, c.index, c.inputs, r.inputs as run_inputs, r.provenance
        from pipelines p join pipeline_children c on c.pipeline_id = p.id left join runs r on r.id = c.run_id
        where p.id = ${id} and p.workspace_id = ${workspaceId} and c.role = 'run' and c.index = any(${entries}::integer[])`,
      )
    },

    /** Newest first. */
    list(
      filter: PipelineFilter,
      { limit, after }: { limit: number; after?: { position: string; id: string } | undefined },
    ): Promise<PipelineView[]> {
      return tenants.in(
        filter.workspace_id,
        (db) => db<PipelineView[]>`
        select ${columns(db)} from ${joined(db)} where ${fits(db, filter)}
          ${after === undefined ? db`` : db`and (p.created_at, p.id) < (${after.position}::timestamptz, ${after.id})`}
        order by p.created_at desc, p.id desc limit ${limit}`,
      )
    },

    async count(filter: PipelineFilter, upTo: number): Promise<number> {
      const [row] = await tenants.in(
        filter.workspace_id,
        (db) => db<{ count: number }[]>`
        select count(*)::int as count from (select from pipelines p where ${fits(db, filter)} limit ${upTo}) counted`,
      )
      return row?.count ?? 0
    },
  }
}

export type PipelineViews = ReturnType<typeof createPipelineViews>

function fits(db: Db, { workspace_id, statuses, id, name, environment }: PipelineFilter) {
  return db`p.workspace_id = ${workspace_id}
    ${statuses === undefined ? db`` : db`and p.status = any(${statuses}::text[])`}
    ${id === undefined ? db`` : db`and starts_with(p.id, ${id})`}
    ${name === undefined ? db`` : db`and p.name = ${name}`}
    ${environment === undefined ? db`` : db`and p.environment = ${environment}`}`
}

const joined = (db: Db) => db`pipelines p join pipeline_budgets b on b.pipeline_id = p.id`

function columns(db: Db) {
  return db`p.id, p.workspace_id, p.name, p.bundle_path, p.bundle_digest, p.definition, p.environment, p.environment_class, p.profile, p.status,
    p.inputs, p.outputs, p.error, p.closing, p.cancel, p.reason, p.provenance, b.cap_micro_usd, b.spent_micro_usd, b.reserved_micro_usd,
    p.created_at, p.started_at, p.ended_at, p.updated_at, p.created_at::text as position,
    (select jsonb_agg(jsonb_build_object('id', s.step_id, 'state', s.state, 'reason', s.reason, 'started_at', s.started_at,
        'ended_at', s.ended_at, 'deadline_at', s.deadline_at, 'fire_at', s.fire_at, 'topic', s.topic, 'advanced', s.advanced,
        'outputs', s.outputs, 'error', s.error, 'runs', (
          select coalesce(jsonb_agg(jsonb_build_object('run_id', c.run_id, 'index', c.index, 'role', c.role,
              'status', coalesce(r.status, c.status), 'error', c.error,
              'gate_id', (select g.id from gates g where g.run_id = c.run_id and g.status = 'open' limit 1),
              'total_micro_usd', coalesce(r.llm_micro_usd + r.gpu_micro_usd + r.storage_micro_usd, 0)) order by c.role desc, c.index), '[]')
          from pipeline_children c left join runs r on r.id = c.run_id
          where c.pipeline_id = p.id and c.step_id = s.step_id)) order by s.ordinal)
      from pipeline_steps s where s.pipeline_id = p.id) as steps`
}

/** As which a pipeline ends that takes something back. */
const NOT_WELL = PIPELINE_ENDS.filter((status) => status !== 'succeeded')

/** The health of the workspace's pipelines. */
export interface PipelineHealth {
  queued: number
  running: number
  blocked: number
  /** ended in the last day with a failed or missing compensation */
  not_taken_back: number
}

export async function pipelineHealth(db: Db, workspaceId: string): Promise<PipelineHealth> {
  const [row] = await db<PipelineHealth[]>`
    select (count(*) filter (where status = 'queued'))::int as queued, (count(*) filter (where status = 'running'))::int as running,
      (count(*) filter (where status = 'blocked'))::int as blocked,
      (select count(*)::int from pipelines p where p.workspace_id = ${workspaceId}
        and p.status = any(${NOT_WELL}::text[])
        and p.ended_at > now() - ${DAY_MS} * interval '1 millisecond'
        and exists (select from pipeline_children c where c.pipeline_id = p.id and c.role = 'compensation'
          and c.ended_at is not null and c.status <> 'succeeded')) as not_taken_back
    from pipelines where workspace_id = ${workspaceId} and ended_at is null`
  return row ?? { queued: 0, running: 0, blocked: 0, not_taken_back: 0 }
}
