import type { AuditDraft } from '#core/audit/types.ts'
import type { Json, JsonObject } from '#core/json/json.ts'
import type { RemoteJobSpec, RemoteJobState } from '#core/remote-job/contract.ts'
import type { RemoteJobRecord } from '#core/remote-job/schema.ts'
import type { FailureCode } from '#core/run/failure-codes.ts'
import { asJson, type Db } from '../db.ts'
import type { TenantDb } from '../tenant-db.ts'

export type RemoteFailure = { code: FailureCode; message: string; type?: string }

/** A remote job, as executions of its run follow it. */
export interface RemoteJobRow {
  id: string
  state: RemoteJobState
  idempotent: boolean
  plan_hash: string
  result: Json
  failure: RemoteFailure | null
  /** until its run waits no longer */
  remaining_ms: number
  /** what its attempt holds */
  reserved: { llm: number; gpu: number; storage: number }
}

/** The same, as its workflow asks for it. */
export interface ClaimedJob extends Omit<RemoteJobRecord, NotClaimed> {
  workspace_id: string
  /** the run id of the execution that dispatched it */
  execution: string | null
  /** the run's secret inputs; null without any, and once it has ended */
  sealed: string | null
  run_ended: boolean
  spec: RemoteJobSpec
  result_schema: JsonObject
  failure: RemoteFailure | null
}

type NotClaimed = 'environment' | 'task_queue' | 'identity' | 'failure' | 'deadline' | `${string}_at`

export interface RemoteJobEnd {
  state: Exclude<RemoteJobState, 'created' | 'running'>
  result?: Json
  result_digest: string | null
  failure: RemoteFailure | null
  identity: string | null
}

/** A remote job whose workflow is to be looked at. */
export interface OpenJob {
  id: string
  run_id: string
}

/** Remote jobs, for the executions and the workflows that they belong to; they are created and taken back by `record_run`. */
export function createRemoteJobs(db: Db) {
  return {
    /** Returns the job of an attempt of a step. */
    async ofAttempt(runId: string, stepId: string, attempt: number): Promise<RemoteJobRow | undefined> {
      const [row] = await db<RemoteJobRow[]>`
        select j.id, j.state, j.idempotent, j.plan_hash, j.result, j.failure,
          greatest(0, ceil(extract(epoch from j.deadline - clock_timestamp()) * 1000))::float8 as remaining_ms,
          jsonb_build_object('llm', s.reserved_micro_usd - s.reserved_gpu_micro_usd - s.reserved_storage_micro_usd,
            'gpu', s.reserved_gpu_micro_usd, 'storage', s.reserved_storage_micro_usd) as reserved
        from remote_jobs j join run_steps s using (run_id, step_id)
        where run_id = ${runId} and step_id = ${stepId} and j.attempt = ${attempt} and j.state <> 'not_dispatched'`
      return row
    },

    /**
     * Notes that this execution of its workflow dispatches a job now, and returns it; undefined where another one has it, where it
     * has ended, or where its run waits for it no longer.
     */
    async start(jobId: string, execution: string): Promise<ClaimedJob | undefined> {
      const [row] = await db<ClaimedJob[]>`
        update remote_jobs j set state = 'running', started_at = coalesce(j.started_at, now()), execution = ${execution}
        from runs r, run_steps s
        where j.id = ${jobId} and j.ended_at is null and coalesce(j.execution, ${execution}) = ${execution} and r.id = j.run_id and r.status = 'running'
          and s.run_id = j.run_id and s.step_id = j.step_id and s.attempt = j.attempt and s.state = 'running'
        returning ${claimed(db)}`
      return row
    },

    async find(jobId: string): Promise<ClaimedJob | undefined> {
      const [row] = await db<ClaimedJob[]>`select ${claimed(db)} from remote_jobs j where id = ${jobId}`
      return row
    },

    /** Records how a job ended, once. */
    async settle(jobId: string, end: RemoteJobEnd, audit: AuditDraft): Promise<boolean> {
      const { state, result, result_digest, failure, identity } = end
      const rows = await db`
        with ended as (
          update remote_jobs set state = ${state}, ended_at = now(), result_digest = ${result_digest}, identity = ${identity},
            result = ${result === undefined ? null : db.json(asJson({ result }))}::jsonb -> 'result', failure = ${failure && db.json(asJson(failure))}
          where id = ${jobId} and ended_at is null returning id)
        select append_audit(${db.json(asJson([audit]))}) from ended`
      return rows.length > 0
    },

    /** Returns jobs whose workers are to be told that nobody waits for them any more: their run ends or has ended, or their step has gone on. */
    async abandoned(limit: number): Promise<OpenJob[]> {
      return db<OpenJob[]>`
        select j.id, j.run_id from remote_jobs j join runs r on r.id = j.run_id
        where j.ended_at is null and j.cancel_requested_at is null and (r.status <> 'running' or exists (
          select from run_steps s where s.run_id = j.run_id and s.step_id = j.step_id and (s.attempt <> j.attempt or s.state <> 'running')))
        order by j.created_at limit ${limit}`
    },

    /** Returns jobs that were dispatched this long ago and have not ended. */
    async open(olderThanMs: number, limit: number): Promise<OpenJob[]> {
      return db<OpenJob[]>`
        select id, run_id from remote_jobs
        where ended_at is null and started_at < now() - ${olderThanMs} * interval '1 millisecond'
        order by started_at limit ${limit}`
    },

    async noteCancel(jobId: string): Promise<void> {
      await db`update remote_jobs set cancel_requested_at = now() where id = ${jobId} and cancel_requested_at is null`
    },
  }
}

const claimed = (db: Db) => db`
  j.id, j.run_id, j.workspace_id, j.step_id, j.attempt, j.queue, j.activity, j.plan_hash, j.input_digest, j.attest, j.idempotent, j.state,
  j.execution, (select sealed from run_secrets where run_id = j.run_id) as sealed,
  (select ended_at is not null from runs where id = j.run_id) as run_ended, j.spec, j.result_schema, j.result_digest, j.failure`

export type RemoteJobs = ReturnType<typeof createRemoteJobs>

/** A remote job as people read it. */
export interface RemoteJobView extends RemoteJobRecord {
  /** of a single one: its run has secret inputs, and has not ended */
  has_secrets?: boolean
  /** place in the list, exact to the microsecond */
  position: string
}

export interface RemoteJobFilter {
  run_id?: string | undefined
  queue?: string | undefined
  state?: RemoteJobState | undefined
}

export function createRemoteJobViews(tenants: TenantDb) {
  const of = (db: Db, workspaceId: string, { run_id, queue, state }: RemoteJobFilter) => db`
    workspace_id = ${workspaceId}
      ${run_id === undefined ? db`` : db`and run_id = ${run_id}`}
      ${queue === undefined ? db`` : db`and queue = ${queue}`}
      ${state === undefined ? db`` : db`and state = ${state}`}`
  const columns = (db: Db) => db`
    id, run_id, step_id, attempt, environment, queue, task_queue, activity, plan_hash, input_digest, attest, idempotent, state,
    created_at, started_at, deadline, cancel_requested_at, ended_at, result_digest, failure, identity, created_at::text as position`

  return {
    /** Newest first, after a place in the list. */
    list: (
      workspaceId: string,
      filter: RemoteJobFilter,
      { limit, after }: { limit: number; after?: { position: string; id: string } | undefined },
    ): Promise<RemoteJobView[]> =>
      tenants.in(
        workspaceId,
        (db) => db<RemoteJobView[]>`
          select ${columns(db)} from remote_jobs where ${of(db, workspaceId, filter)}
            ${after === undefined ? db`` : db`and (created_at, id) < (${after.position}::timestamptz, ${after.id})`}
          order by created_at desc, id desc limit ${limit}`,
      ),

    async count(workspaceId: string, filter: RemoteJobFilter, upTo: number): Promise<number> {
      const [row] = await tenants.in(
        workspaceId,
        (db) => db<{ count: number }[]>`
          select count(*)::float8 as count from (select from remote_jobs where ${of(db, workspaceId, filter)} limit ${upTo}) counted`,
      )
      return row?.count ?? 0
    },

    async find(workspaceId: string, id: string): Promise<RemoteJobView | undefined> {
      const [row] = await tenants.in(
        workspaceId,
        (db) =>
          db<
            RemoteJobView[]
          >`select ${columns(db)}, exists (select from run_secrets s where s.run_id = remote_jobs.run_id) as has_secrets
            from remote_jobs where id = ${id} and workspace_id = ${workspaceId}`,
      )
      return row
    },
  }
}

export type RemoteJobViews = ReturnType<typeof createRemoteJobViews>
