import type { Json, JsonObject } from '../json/json.ts'
import type { RunStatus } from '../run/status.ts'
import type { PipelineStatus, PipelineStepState } from './transitions.ts'

export interface PipelineError {
  code: string
  message: string
  /** the step that it is about */
  step?: string
  run_id?: string
}

/** `starting`: its run is not recorded yet; `refused`: its start was refused for good or abandoned. */
export type ChildStatus = 'starting' | 'refused' | RunStatus

/** A user who acted on a pipeline, and the people behind them. */
export interface AskedBy {
  by?: string
  human_root?: { user_id?: string; via: string[] }
}

/** A run of a step, or its compensation. */
export interface ChildRecord {
  step_id: string
  /** the entry of a `for_each` that it is for; 0 in other steps */
  index: number
  role: 'run' | 'compensation'
  run_id: string
  /** its inputs from the pipeline; empty once it has left `starting`, since its run records them. A compensation has none of its own */
  inputs: JsonObject
  status: ChildStatus
  /** it has begun a step that is no read */
  acted: boolean
  outputs: JsonObject | null
  /** size limit of recorded outputs that were not read */
  left_out_bytes?: number | null
  error: PipelineError | null
  ended_at_ms: number | null
  /** its start was put off until then */
  not_before_ms: number | null
  /** why it is to stop; null while it may continue */
  cancel_reason: string | null
}

export interface PipelineStepRecord {
  id: string
  state: PipelineStepState
  /** what delays it, or why it was skipped */
  reason: string | null
  started_at_ms: number | null
  ended_at_ms: number | null
  /** its deadline; while it waits for people, the time is paused since `paused_at_ms` */
  deadline_ms: number | null
  paused_at_ms: number | null
  timed_out: boolean
  /** of a timer */
  fire_at_ms: number | null
  /** of an event step: the last message of the bus that was read; null before the first */
  after_id: number | null
  /** of a `for_each` */
  items: Json[] | null
  /** who advanced it, with inputs that override its own */
  advanced: (AskedBy & { inputs: JsonObject }) | null
  outputs: JsonObject | null
  /** true: recorded, and not read */
  is_left_out?: boolean
  error: PipelineError | null
}

/** The coming end of a pipeline that is closing. */
export interface Closing {
  as: 'failed' | 'rejected' | 'cancelled'
  compensate: boolean
  error: PipelineError | null
}

/** A recorded pipeline. */
export interface PipelineSnapshot {
  id: string
  workspace_id: string
  name: string
  environment: string
  reason: string | null
  status: PipelineStatus
  inputs: JsonObject
  outputs: JsonObject | null
  error: PipelineError | null
  closing: Closing | null
  /** a request to stop it */
  cancel: (AskedBy & { reason: string | null }) | null
  steps: PipelineStepRecord[]
  children: ChildRecord[]
}

/** The recorded state of a run. */
export interface RunFact {
  status: RunStatus
  /** it has begun a step that is no read; known once it has ended */
  acted: boolean
  outputs: JsonObject | null
  error: PipelineError | null
  ended_at_ms: number | null
  /** since when it waits for people; null while it does not */
  awaiting_since_ms: number | null
}

/** The result of trying to start a run. */
export type StartFact =
  | { kind: 'refused'; error: PipelineError }
  /** a passing obstacle */
  | { kind: 'later'; at_ms: number; reason: string }

/** Messages on the topics of an event step, in order, and up to which number there are no others. */
export interface EventsRead {
  events: JsonObject[]
  up_to: number
}

/** The facts that a pipeline is advanced by. */
export interface AdvanceFacts {
  /** by the database clock */
  now_ms: number
  /** by run id; an unrecorded run is absent */
  runs: ReadonlyMap<string, RunFact>
  starts: ReadonlyMap<string, StartFact>
  events: ReadonlyMap<string, EventsRead>
  /** ids for the runs that are to start */
  nextRunId(): string
}
