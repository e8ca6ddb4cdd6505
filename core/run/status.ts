export const TERMINAL_STATUSES = ['succeeded', 'failed', 'rejected', 'cancelled', 'expired'] as const
export const RUN_STATUSES = ['queued', 'running', 'awaiting_approval', 'cancelling', ...TERMINAL_STATUSES] as const

export type RunStatus = (typeof RUN_STATUSES)[number]
export type TerminalStatus = (typeof TERMINAL_STATUSES)[number]

export function isTerminal(status: RunStatus): status is TerminalStatus {
  return (TERMINAL_STATUSES as readonly string[]).includes(status)
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
