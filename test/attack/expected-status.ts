import type { Fate, HonestRun } from './honest/runs.ts'

const EXPECTED: Record<Fate, string> = {
  approve: 'succeeded',
  reject: 'rejected',
  cancel: 'cancelled',
  dismiss: 'expired',
  insufficient: 'awaiting_approval',
  silent: 'awaiting_approval',
}

/** What becomes of a run when only honest people have a say. */
export function expectedStatus({ fate }: HonestRun): string {
  return EXPECTED[fate]
}
