import { ApplicationFailure } from '@temporalio/common'
import { CLAIM_REFUSED } from '#core/contract.ts'
import type { FireResult } from '#core/schedule/contract.ts'
import type { Attempt } from '#test/support/scripted-firings.ts'

/** One tick of a schedule whose history is recorded under this name. */
export interface FiringScenario {
  name: string
  attempts: Attempt[]
  ends: FireResult | 'failed'
}

const STARTED: FireResult = { kind: 'done', outcome: 'started', run_id: 'run_1' }

export const FIRING_SCENARIOS: FiringScenario[] = [
  { name: 'firing-started', attempts: [STARTED], ends: STARTED },
  {
    name: 'firing-waited-in-line',
    attempts: [{ kind: 'wait', look_ms: 50 }, { kind: 'wait' }, STARTED],
    ends: STARTED,
  },
  {
    name: 'firing-refused',
    attempts: [ApplicationFailure.nonRetryable('the schedule has no such time', CLAIM_REFUSED)],
    ends: 'failed',
  },
  {
    name: 'firing-tried-again',
    attempts: [ApplicationFailure.retryable('the database is away'), STARTED],
    ends: STARTED,
  },
]
