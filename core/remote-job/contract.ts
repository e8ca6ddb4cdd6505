import type { Json } from '../json/json.ts'

export const REMOTE_JOB_WORKFLOW = 'remoteJobV1'

/** The identifier of a remote job: the only input of its workflow, which has the same id. Everything else is read from the record. */
export interface RemoteJobClaim {
  job_id: string
}

/** What the workflow schedules, as the record has it. */
export interface RemoteJobSpec {
  task_queue: string
  activity: string
  activity_id: string
  args: Json[]
  schedule_to_start_ms: number
  start_to_close_ms: number
  heartbeat_ms: number | null
}

/** `ended`: the job was taken back, has ended, or its run has: nothing is scheduled. */
export type StartedRemoteJob = { kind: 'schedule'; run_id: string; spec: RemoteJobSpec } | { kind: 'ended' }

export const REMOTE_FAILURES = ['unattended', 'timeout', 'heartbeat', 'application', 'cancelled', 'other'] as const

/** How an activity ended, as the engine says: unverified. What it returned is read from the history, as its bytes are. */
export type RemoteEnd =
  | { kind: 'returned' }
  | { kind: 'failed'; why: (typeof REMOTE_FAILURES)[number]; type: string; message: string }

export interface RemoteJobActivities {
  startRemoteJob(claim: RemoteJobClaim): Promise<StartedRemoteJob>
  /** the first end counts */
  recordRemoteJob(claim: RemoteJobClaim & { end: RemoteEnd }): Promise<{ recorded: true }>
}

/**
 * `created`: on record, and not yet with the engine. `unknown`: it may have acted, and nobody can say how it ended. `not_dispatched`: it was
 * taken back before the engine had it.
 */
export const REMOTE_JOB_STATES = [
  'created',
  'running',
  'returned',
  'failed',
  'unknown',
  'cancelled',
  'not_dispatched',
] as const
export type RemoteJobState = (typeof REMOTE_JOB_STATES)[number]

/** The largest input and the largest result, in bytes of JSON. */
export const MAX_INPUT_BYTES = 1024 * 1024
export const MAX_RESULT_BYTES = 1024 * 1024
