import type { FinalState, Transitions } from '../transitions.ts'

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

/**
 * The whole life of a run: from which status it goes to which, and by which function. There is no other way; the database refuses
 * one, from any writer.
 */
export const RUN_TRANSITIONS = {
  none: { queued: ['admitRun'] },
  queued: {
    running: ['advanceRun'],
    cancelling: ['recordCancel'],
    failed: ['closeRun'],
  },
  running: {
    awaiting_approval: ['parked'],
    cancelling: ['recordCancel'],
    succeeded: ['runSucceeded', 'dryRunEnded'],
    failed: ['failed', 'dryRunEnded', 'closeRun'],
    cancelled: ['standingLost'],
  },
  awaiting_approval: {
    running: ['recordDecision'],
    // an execution may park while the cancellation is being recorded
    cancelling: ['recordCancel'],
    failed: ['closeRun'],
    rejected: ['recordDecision'],
    cancelled: ['recordCancel'],
    expired: ['expireDueGate', 'recordDecision'],
  },
  cancelling: {
    // the attempt at work still ends what it has begun
    succeeded: ['runSucceeded', 'dryRunEnded'],
    failed: ['failed', 'dryRunEnded', 'closeRun'],
    cancelled: ['closeRun', 'standingLost'],
  },
  succeeded: {},
  failed: {},
  rejected: {},
  cancelled: {},
  expired: {},
} as const satisfies Transitions<RunStatus, 'none'>

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

/** The state of a step in an answer. */
export const SHOWN_STEP_STATES = [...STEP_STATES, 'not_reached'] as const

/** The state of a step, with or without a row: without one it waits for its turn, which never comes once its run has ended. */
export function shownStepState(
  state: StepState | null | undefined,
  run: { ended_at: string | null },
): (typeof SHOWN_STEP_STATES)[number] {
  return state ?? (run.ended_at === null ? 'pending' : 'not_reached')
}

/** The life of a step within its run. A step that is `pending` has no row yet. */
export const STEP_TRANSITIONS = {
  pending: {
    ready: ['delayed'],
    running: ['opened'],
    awaiting_approval: ['parked'],
    succeeded: ['succeeded'],
    failed: ['failed'],
    // a dry run acts on nothing
    skipped: ['skipped', 'predicted'],
  },
  ready: {
    running: ['opened'],
    awaiting_approval: ['parked'],
    succeeded: ['succeeded'],
    failed: ['failed', 'closeRun'],
    skipped: ['predicted'],
    cancelled: ['closeRun', 'standingLost'],
  },
  running: {
    ready: ['retried', 'reopened'],
    awaiting_approval: ['parked'],
    succeeded: ['succeeded'],
    failed: ['failed', 'readFailed', 'closeRun'],
    cancelled: ['cancelled', 'closeRun', 'standingLost'],
    outcome_unknown: ['parked'],
  },
  awaiting_approval: {
    ready: ['recordDecision'],
    failed: ['closeRun'],
    cancelled: ['recordDecision', 'recordCancel', 'closeRun'],
    expired: ['expireDueGate', 'recordDecision'],
  },
  succeeded: {},
  failed: {},
  skipped: {},
  cancelled: {},
  expired: {},
  // it stays so when its run ends while the gate is open
  outcome_unknown: {
    ready: ['recordDecision'],
    cancelled: ['recordDecision', 'recordCancel'],
    expired: ['expireDueGate', 'recordDecision'],
  },
} as const satisfies Transitions<StepState, never>

/** Whether nothing more becomes of a step. */
export function hasEnded(state: StepState): state is FinalState<typeof STEP_TRANSITIONS> {
  return Object.keys(STEP_TRANSITIONS[state]).length === 0
}
