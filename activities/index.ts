import type { LaneActivities, LedgerActivities } from '#core/contract.ts'
import { createAdvanceRun } from './advance-run.ts'
import { createBeginCancel, createCloseRun } from './close-run.ts'
import type { ActivityDeps } from './deps.ts'
import { createSettleGate } from './settle-gate.ts'

export function createLedgerActivities(deps: ActivityDeps): LedgerActivities {
  return { settleGate: createSettleGate(deps), beginCancel: createBeginCancel(deps), closeRun: createCloseRun(deps) }
}

/** A lane's worker also keeps the short records of its runs. */
export function createLaneActivities(deps: ActivityDeps): LaneActivities & LedgerActivities {
  return { advanceRun: createAdvanceRun(deps), ...createLedgerActivities(deps) }
}
