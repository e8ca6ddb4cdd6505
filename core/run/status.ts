import type { FinalState } from '../transitions.ts'
import { RUN_TRANSITIONS, STEP_TRANSITIONS } from './transitions.ts'

export const RUN_STATUSES = [
  'queued',
  'running',
  'awaiting_approval',
  'cancelling',
  'succeeded',
  'failed',
  'rejected',
  'cancelled',
  'expired',
] as const
export type RunStatus = (typeof RUN_STATUSES)[number]
export type TerminalStatus = FinalState<typeof RUN_TRANSITIONS>

/** What a run never leaves. */
export const TERMINAL_STATUSES = RUN_STATUSES.filter(isTerminal)
/** What a run is in until it has ended: duplicates attach to it, lanes and halts count it, it can be cancelled. */
export const ACTIVE_STATUSES = RUN_STATUSES.filter((status) => !isTerminal(status))

export function isTerminal(status: RunStatus): status is TerminalStatus {
  return Object.keys(RUN_TRANSITIONS[status]).length === 0
}

export const STEP_STATES = [
  'pending',
  'ready',
  'running',
  'awaiting_approval',
  'succeeded',
  'failed',
  'skipped',
  'cancelled',
  'expired',
  'outcome_unknown',
] as const
export type StepState = (typeof STEP_STATES)[number]

/** Whether nothing more becomes of a step. */
export function hasEnded(state: StepState): state is FinalState<typeof STEP_TRANSITIONS> {
  return Object.keys(STEP_TRANSITIONS[state]).length === 0
}
