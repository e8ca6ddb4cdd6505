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

/** `starting`: its run is not on record yet; `refused`: it never will be, since its start was refused for good or given up. */
export type ChildStatus = 'starting' | 'refused' | RunStatus

/** Somebody who has acted on a pipeline, and who stands behind them. */
export interface AskedBy {
  by?: string
  human_root?: { user_id?: string; via: string[] }
}

/** One run of a step, or the run that takes one back. */
export interface ChildRecord {
  step_id: string
  /** the entry of a `for_each` that it is for; 0 in other steps */
  index: number
  role: 'run' | 'compensation'
  run_id: string
  /** what the pipeline gives it; of one that is no longer `starting` they are left on record. A compensation has none of its own */
  inputs: JsonObject
  status: ChildStatus
  /** it has begun a step that is no read */
  acted: boolean
  outputs: JsonObject | null
  /** of outputs that are on record and were not read: how large they are at most */
  left_out_bytes?: number | null
  error: PipelineError | null
  ended_at_ms: number | null
  /** its start was put off until then */
  not_before_ms: number | null
  /** why it is to stop; null while it may go on */
  cancel_reason: string | null
}

export interface PipelineStepRecord {
  id: string
  state: PipelineStepState
  /** what holds it up, or why it was passed over */
  reason: string | null
  started_at_ms: number | null
  ended_at_ms: number | null
  /** when its time is over; while people are asked, the time stands still since `paused_at_ms` */
  deadline_ms: number | null
  paused_at_ms: number | null
  timed_out: boolean
  /** of a timer */
  fire_at_ms: number | null
  /** of an event step: the last message of the bus that was looked at; null before the first look */
  after_id: number | null
  /** of a `for_each` */
  items: Json[] | null
  /** who has let it begin, with these inputs over its own */
  advanced: (AskedBy & { inputs: JsonObject }) | null
  outputs: JsonObject | null
  /** they are on record and were not read */
  is_left_out?: boolean
  error: PipelineError | null
}

/** How a pipeline that does not go on is to end. */
export interface Closing {
  as: 'failed' | 'rejected' | 'cancelled'
  compensate: boolean
  error: PipelineError | null
}

/** A pipeline as it stands on record. */
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
  /** somebody has asked that it stops */
  cancel: (AskedBy & { reason: string | null }) | null
  steps: PipelineStepRecord[]
  children: ChildRecord[]
}

/** How a run stands, by its own record. */
export interface RunFact {
  status: RunStatus
  /** it has begun a step that is no read; known once it has ended */
  acted: boolean
  outputs: JsonObject | null
  error: PipelineError | null
  ended_at_ms: number | null
  /** since when people are asked; null while they are not */
  awaiting_since_ms: number | null
}

/** What became of the attempt to start a run. */
export type StartFact =
  | { kind: 'refused'; error: PipelineError }
  /** something that passes stands in its way */
  | { kind: 'later'; at_ms: number; reason: string }

/** Messages on the topics of an event step, in order, and up to which number there are no others. */
export interface EventsRead {
  events: JsonObject[]
  up_to: number
}

/** What the world says of a pipeline. */
export interface AdvanceFacts {
  /** by the clock of the record */
  now_ms: number
  /** by run id; a run that is not on record is absent */
  runs: ReadonlyMap<string, RunFact>
  /** by run id */
  starts: ReadonlyMap<string, StartFact>
  /** by step id */
  events: ReadonlyMap<string, EventsRead>
  /** ids for the runs that are to start */
  nextRunId(): string
}
