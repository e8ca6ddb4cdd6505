import type { FinalState, Transitions } from '../transitions.ts'

export const PIPELINE_STATUSES = [
  'queued',
  'running',
  'blocked',
  'succeeded',
  'failed',
  'rejected',
  'cancelled',
] as const

/** The life of a pipeline. `blocked`: only people are waited for. */
export const PIPELINE_TRANSITIONS = {
  none: { queued: ['runPipeline'] },
  queued: {
    running: ['advancePipeline'],
    blocked: ['advancePipeline'],
    succeeded: ['advancePipeline'],
    failed: ['advancePipeline'],
    cancelled: ['advancePipeline'],
  },
  running: {
    blocked: ['advancePipeline'],
    succeeded: ['advancePipeline'],
    failed: ['advancePipeline'],
    rejected: ['advancePipeline'],
    cancelled: ['advancePipeline'],
  },
  blocked: {
    running: ['advancePipeline'],
    succeeded: ['advancePipeline'],
    failed: ['advancePipeline'],
    rejected: ['advancePipeline'],
    cancelled: ['advancePipeline'],
  },
  succeeded: {},
  failed: {},
  rejected: {},
  cancelled: {},
} as const satisfies Transitions<(typeof PIPELINE_STATUSES)[number], 'none'>

export const PIPELINE_STEP_STATES = [
  'pending',
  'waiting_timer',
  'waiting_event',
  'ready',
  'awaiting_approval',
  'running',
  'succeeded',
  'failed',
  'skipped',
  'rejected',
  'cancelled',
  'expired',
] as const

/** Transitions of a pipeline's step. A run that it starts has its own. */
export const PIPELINE_STEP_TRANSITIONS = {
  none: { pending: ['runPipeline'] },
  pending: {
    waiting_timer: ['beginTimer'],
    waiting_event: ['beginEvent'],
    ready: ['awaitAdvance'],
    running: ['beginRuns'],
    // a list without entries
    succeeded: ['beginRuns'],
    // an expression that cannot be evaluated
    failed: ['beginStep'],
    skipped: ['beginStep', 'closeStep'],
    cancelled: ['closeStep'],
  },
  waiting_timer: { succeeded: ['followTimer'], cancelled: ['closeStep'] },
  waiting_event: { succeeded: ['followEvent'], failed: ['followEvent'], cancelled: ['closeStep'] },
  ready: {
    running: ['beginRuns'],
    succeeded: ['beginRuns'],
    failed: ['beginRuns'],
    expired: ['awaitAdvance'],
    cancelled: ['closeStep'],
  },
  awaiting_approval: {
    running: ['followRuns'],
    succeeded: ['followRuns'],
    failed: ['followRuns'],
    rejected: ['followRuns'],
    cancelled: ['followRuns'],
    expired: ['followRuns'],
  },
  running: {
    awaiting_approval: ['followRuns'],
    succeeded: ['followRuns'],
    failed: ['followRuns'],
    rejected: ['followRuns'],
    cancelled: ['followRuns'],
    expired: ['followRuns'],
  },
  succeeded: {},
  failed: {},
  skipped: {},
  rejected: {},
  cancelled: {},
  expired: {},
} as const satisfies Transitions<(typeof PIPELINE_STEP_STATES)[number], 'none'>

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

/** Final statuses of a pipeline. */
export const PIPELINE_ENDS = PIPELINE_STATUSES.filter(isPipelineEnd)
