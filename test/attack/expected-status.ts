import type { HonestRun } from './honest/runs.ts'

/** What becomes of a run when only honest people have a say. */
export function expectedStatus({ fate }: HonestRun): 'succeeded' | 'rejected' | 'awaiting_approval' {
  if (fate === 'approve') return 'succeeded'
  return fate === 'reject' ? 'rejected' : 'awaiting_approval'
}
