import type { AuditDraft } from '#core/audit/types.ts'
import { DomainError } from '#core/errors.ts'
import { canonicalText } from '#core/json/canonical.ts'
import type { JsonObject } from '#core/json/json.ts'
import { createLru } from '#core/lru.ts'
import type { ChildRecord, PipelineSnapshot, PipelineStepRecord, RunFact } from '#core/pipeline/snapshot.ts'
import type { PipelineDefinition } from '#core/pipeline/types.ts'
import { asJson, type Db } from '../db.ts'
import { contributorsIn } from '../gates/vote-columns.ts'

export interface PipelineDraft {
  id: string
  workspace_id: string
  name: string
  bundle_path: string
  bundle_digest: string
  definition: PipelineDefinition
  definition_digest: string
  environment: string
  environment_class: string
  profile: string
  inputs: JsonObject
  inputs_hash: string
  reason: string | null
  provenance: JsonObject
  cap_micro_usd: number
  events: PipelineEventDraft[]
  audit: AuditDraft[]
}

/** An event is identified by its key: a recorded one is skipped. */
export interface PipelineEventDraft {
  key: string
  type: string
  step?: string
  actor?: JsonObject
  data?: JsonObject
}

/** A pipeline with the state of its runs, read in one statement. */
export interface LoadedPipeline {
  snapshot: PipelineSnapshot
  definition: PipelineDefinition
  version: number
  profile: string
  provenance: JsonObject
  /** by the database clock */
  now_ms: number
  runs: ReadonlyMap<string, RunFact>
}

/** The changes of a pipeline since `version`: changed steps and runs, complete. */
export interface PipelinePatch extends Pick<PipelineSnapshot, 'id' | 'status' | 'outputs' | 'error' | 'closing'> {
  version: number
  steps: PipelineStepRecord[]
  children: ChildRecord[]
  events: PipelineEventDraft[]
  audit: AuditDraft[]
}

interface Row {
  snapshot: PipelineSnapshot
  definition_digest: string
  version: number
  profile: string
  provenance: JsonObject
  now_ms: number
  runs: Record<string, RunFact>
}

/** Bytes of outputs, as they are kept, from which on an evaluation does without them. */
const LARGE_OUTPUT_BYTES = 2_000
/** Most compiled definitions in memory. */
const REMEMBERED = 500

/** Writes pipelines. Each verb is one statement. */
export function createPipelineStore(db: Db, sha256: (text: string) => string) {
  const definitions = createLru<string, PipelineDefinition>(REMEMBERED)

  /** Throws `internal` for a definition that does not match its digest. */
  async function definitionOf(id: string, digest: string): Promise<PipelineDefinition> {
    const remembered = definitions.get(digest)
    if (remembered !== undefined) return remembered
    const [row] = await db<{ definition: PipelineDefinition }[]>`select definition from pipelines where id = ${id}`
    if (row === undefined || digestOf(row.definition) !== digest)
      throw new DomainError('internal', `the definition of ${id} is not what its digest says`)
    definitions.set(digest, row.definition)
    return row.definition
  }

  const digestOf = (definition: PipelineDefinition) => `sha256:${sha256(canonicalText({ ...definition }))}`

  return {
    digestOf,

    async start(draft: PipelineDraft): Promise<void> {
      await db`select start_pipeline(${db.json(asJson(draft))})`
    },

    /**
     * Undefined for a pipeline of another workspace. Outputs of runs that the pipeline has seen end, and large ones of steps, are left out:
     * they never change again, and an evaluation loads them when it needs them (`withOutputs`).
     */
    async load(workspaceId: string, id: string): Promise<LoadedPipeline | undefined> {
      const [row] = await db<Row[]>`
        select p.version, p.profile, p.provenance, p.definition_digest, (extract(epoch from clock_timestamp()) * 1000)::float8 as now_ms,
          json_build_object('id', p.id, 'workspace_id', p.workspace_id, 'name', p.name, 'environment', p.environment, 'reason', p.reason,
            'status', p.status, 'inputs', p.inputs, 'outputs', p.outputs, 'error', p.error, 'closing', p.closing, 'cancel', p.cancel,
            'steps', (select json_agg(json_build_object('id', s.step_id, 'state', s.state, 'reason', s.reason,
                'started_at_ms', ms_of(s.started_at), 'ended_at_ms', ms_of(s.ended_at), 'deadline_ms', ms_of(s.deadline_at),
                'paused_at_ms', ms_of(s.paused_at), 'timed_out', s.timed_out, 'fire_at_ms', ms_of(s.fire_at), 'after_id', s.after_id,
                'items', s.items, 'advanced', s.advanced, 'error', s.error,
                'outputs', case when not ${isLarge(db)} then s.outputs end, 'is_left_out', ${isLarge(db)}) order by s.ordinal)
              from pipeline_steps s where s.pipeline_id = p.id),
            'children', (select coalesce(json_agg(json_build_object('step_id', c.step_id, 'index', c.index, 'role', c.role, 'run_id', c.run_id,
                'inputs', case when c.status = 'starting' then c.inputs else '{}' end, 'status', c.status, 'acted', c.acted, 'outputs', null, 'error', c.error,
                'left_out_bytes', case when s.ended_at is null and s.error is null then octet_length(c.outputs::text) end,
                'ended_at_ms', ms_of(c.ended_at), 'not_before_ms', ms_of(c.not_before), 'cancel_reason', c.cancel_reason)
                order by c.run_id), '[]')
              from pipeline_children c join pipeline_steps s on (s.pipeline_id, s.step_id) = (c.pipeline_id, c.step_id)
              where c.pipeline_id = p.id)) as snapshot,
          (select coalesce(json_object_agg(r.id, json_build_object('status', r.status, 'outputs', r.outputs, 'ended_at_ms', ms_of(r.ended_at),
              'error', coalesce(r.error, case when r.status = 'rejected' then ${rejection(db)} end), 'awaiting_since_ms', ms_of(r.awaiting_since), 'acted', r.ended_at is not null and exists (
                select from run_steps s join plans on plans.digest = r.plan_digest
                  cross join jsonb_array_elements(plan -> 'steps') t(step)
                where s.run_id = r.id and s.attempt > 0 and step ->> 'id' = s.step_id and step ->> 'action_type' <> 'read'))), '{}')
            from pipeline_children c join runs r on r.id = c.run_id
            where c.pipeline_id = p.id and c.ended_at is null) as runs
        from pipelines p where p.id = ${id} and p.workspace_id = ${workspaceId}`
      if (row === undefined) return undefined
      const { definition_digest, runs, now_ms, ...rest } = row
      const definition = await definitionOf(id, definition_digest)
      return { ...rest, now_ms: Math.floor(now_ms), definition, runs: new Map(Object.entries(runs)) }
    },

    /** The same with all outputs of these steps, and of the runs of those that have not ended. */
    async withOutputs(loaded: LoadedPipeline, steps: string[]): Promise<LoadedPipeline> {
      const { id } = loaded.snapshot
      const rows = await db<{ of: string; outputs: JsonObject }[]>`
        select s.step_id as of, s.outputs from pipeline_steps s
        where s.pipeline_id = ${id} and s.step_id = any(${steps}::text[]) and s.outputs is not null
        union all
        select c.run_id, c.outputs from pipeline_children c
          join pipeline_steps s on (s.pipeline_id, s.step_id) = (c.pipeline_id, c.step_id)
        where c.pipeline_id = ${id} and c.step_id = any(${steps}::text[]) and c.outputs is not null and s.ended_at is null`
      const outputs = new Map(rows.map((row) => [row.of, row.outputs]))
      const filled = (of: string) => ({ outputs: outputs.get(of) ?? null })
      const snapshot = {
        ...loaded.snapshot,
        steps: loaded.snapshot.steps.map((step) =>
          step.is_left_out === true && steps.includes(step.id)
            ? { ...step, ...filled(step.id), is_left_out: false }
            : step,
        ),
        children: loaded.snapshot.children.map((child) =>
          typeof child.left_out_bytes === 'number' && steps.includes(child.step_id)
            ? { ...child, ...filled(child.run_id), left_out_bytes: null }
            : child,
        ),
      }
      return { ...loaded, snapshot }
    },

    /** Returns the pipeline's inputs for a step's run, and the run's full inputs, with marks for secrets. */
    async givenTo(
      id: string,
      { step_id, index }: Pick<ChildRecord, 'step_id' | 'index'>,
    ): Promise<{ own: JsonObject; all: JsonObject }> {
      const [row] = await db<{ own: JsonObject; all: JsonObject }[]>`
        select c.inputs as own, r.inputs as all from pipeline_children c join runs r on r.id = c.run_id
        where c.pipeline_id = ${id} and c.step_id = ${step_id} and c.index = ${index} and c.role = 'run'`
      return row ?? { own: {}, all: {} }
    },

    /** Returns every requester of these runs of a workspace. */
    async requestersOf(workspaceId: string, runs: string[]): Promise<string[]> {
      const rows = await db<{ id: string }[]>`
        select distinct unnest(requesters_of(provenance)) as id from runs
        where id = any(${runs}::text[]) and workspace_id = ${workspaceId}`
      return rows.map(({ id }) => id)
    },

    /** Returns the provenance of these runs of a workspace. */
    async provenanceOf(workspaceId: string, runs: string[]): Promise<{ id: string; provenance: JsonObject }[]> {
      return db<{ id: string; provenance: JsonObject }[]>`
        select r.id, ${contributorsIn(db)} from runs r
        where r.id = any(${runs}::text[]) and r.workspace_id = ${workspaceId} order by r.id`
    },

    /** The one who cancelled a run of a workspace, working or at its gate. */
    async whoCancelled(workspaceId: string, runId: string): Promise<string[]> {
      const rows = await db<{ id: string }[]>`
        select distinct e.actor ->> 'id' as id from run_events e join runs r on r.id = e.run_id
        where e.run_id = ${runId} and r.workspace_id = ${workspaceId} and e.actor ->> 'id' is not null
          and (e.type = 'run.cancelling' or e.type = 'gate.resolved' and e.data ->> 'status' = 'cancelled')`
      return rows.map(({ id }) => id)
    },

    /** The new version; undefined when the record has changed since it was read, and nothing has happened. */
    async record(patch: PipelinePatch): Promise<number | undefined> {
      const [row] = await db<{ version: number | null }[]>`select record_pipeline(${db.json(asJson(patch))}) as version`
      return row?.version ?? undefined
    },

    /** Lets a step begin; returns what prevents it: its state, or `advanced` for an earlier request. */
    async advance(change: {
      id: string
      step_id: string
      advanced: JsonObject
      events: PipelineEventDraft[]
      audit: AuditDraft[]
    }): Promise<string | undefined> {
      const [row] = await db<{ refused: string | null }[]>`
        select advance_pipeline_step(${db.json(asJson(change))}) as refused`
      return row?.refused ?? undefined
    },

    /** Requests cancellation; returns the status of an ended pipeline, `cancelling` for one that is stopping already. */
    async cancel(change: {
      id: string
      cancel: JsonObject
      events: PipelineEventDraft[]
      audit: AuditDraft[]
    }): Promise<string | undefined> {
      const [row] = await db<{ refused: string | null }[]>`
        select cancel_pipeline(${db.json(asJson(change))}) as refused`
      return row?.refused ?? undefined
    },
  }
}

/** Tells whether the outputs of a step are read only on demand. The event of an event step names the people behind it. */
function isLarge(db: Db) {
  return db`(s.topic is null and coalesce(pg_column_size(s.outputs) > ${LARGE_OUTPUT_BYTES}, false))`
}

/** The newest rejection of a run, as an error that says who rejected it and why. */
function rejection(db: Db) {
  return db`(select jsonb_build_object('code', 'run_rejected', 'message',
      d.decided_by || ' rejected it' || coalesce(': ' || nullif(left(d.note, 1000), ''), ''))
    from gates g join gate_decisions d on d.gate_id = g.id
    where g.run_id = r.id and d.decision = 'reject' order by d.decided_at desc limit 1)`
}

export type PipelineStore = ReturnType<typeof createPipelineStore>
