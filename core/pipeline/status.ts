import type { FinalState } from '../transitions.ts'
import {
  PIPELINE_STATUSES,
  type PIPELINE_STEP_STATES,
  PIPELINE_STEP_TRANSITIONS,
  PIPELINE_TRANSITIONS,
} from './transitions.ts'

export type PipelineStatus = (typeof PIPELINE_STATUSES)[number]
export type PipelineEnd = FinalState<typeof PIPELINE_TRANSITIONS>
export type PipelineStepState = (typeof PIPELINE_STEP_STATES)[number]
export type PipelineStepEnd = FinalState<typeof PIPELINE_STEP_TRANSITIONS>

export function isPipelineEnd(status: PipelineStatus): status is PipelineEnd {
  return Object.keys(PIPELINE_TRANSITIONS[status]).length === 0
}

/** Whether nothing more becomes of a step. */
export function isStepEnd(state: PipelineStepState): state is PipelineStepEnd {
  return Object.keys(PIPELINE_STEP_TRANSITIONS[state]).length === 0
}

/** What a pipeline never leaves. */
export const PIPELINE_ENDS = PIPELINE_STATUSES.filter(isPipelineEnd)
