import type { RunPatch } from './run-patches.ts'

/** What every write that takes a run says of it, by itself or with the run's first opening: both begin it alike. */
export const TAKING = {
  take_fence: true,
  claim: true,
  run: { status: 'running', status_reason: null },
  events: [{ key: 'run/started', type: 'run.started' }],
} satisfies Partial<RunPatch>
