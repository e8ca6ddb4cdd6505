import {
  ActivityCancellationType,
  ActivityFailure,
  ApplicationFailure,
  proxyActivities,
  proxyLocalActivities,
} from '@temporalio/workflow'
import { CLAIM_REFUSED, type LaneActivities, LEDGER_QUEUE, type LedgerActivities } from '#core/contract.ts'

/** A leg ends by itself within this time, or its steps' own timeouts have ended it long before. */
const LEG_TIMEOUT = '24h'

/** Infrastructure comes back: until then a leg is repeated. What a template may retry is decided inside the leg. */
export const { advanceRun } = proxyActivities<LaneActivities>({
  startToCloseTimeout: LEG_TIMEOUT,
  heartbeatTimeout: '4s',
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  retry: { initialInterval: '250ms', backoffCoefficient: 2, maximumInterval: '10s' },
})

/**
 * Short records made beside the workflow task itself: no hop, no lane slot. The attempts are counted, because a local
 * activity that fails at once is otherwise repeated past its schedule-to-close timeout.
 */
const near = proxyLocalActivities<LedgerActivities>({
  startToCloseTimeout: '2s',
  scheduleToCloseTimeout: '6s',
  localRetryThreshold: '2s',
  retry: { initialInterval: '100ms', maximumInterval: '1s', maximumAttempts: 3 },
})

/** The same records when the near way is closed: durable, for as long as it takes. */
const ledger = proxyActivities<LedgerActivities>({
  taskQueue: LEDGER_QUEUE,
  startToCloseTimeout: '10s',
  retry: { initialInterval: '500ms', backoffCoefficient: 2, maximumInterval: '10s' },
})

/** Every record is safe to repeat and the first one stands, so the durable way may follow the near one. */
function nearThenLedger<Name extends keyof LedgerActivities>(name: Name): LedgerActivities[Name] {
  const record = async (input: Parameters<LedgerActivities[Name]>[0]) => {
    try {
      return await (near[name] as (input: unknown) => Promise<unknown>)(input)
    } catch (error) {
      if (isRefusedClaim(error)) throw error
      return await (ledger[name] as (input: unknown) => Promise<unknown>)(input)
    }
  }
  return record as LedgerActivities[Name]
}

/** The record knows no such run, or it is not this workflow's: nothing is left to do. */
export function isRefusedClaim(error: unknown): boolean {
  return (
    error instanceof ActivityFailure && error.cause instanceof ApplicationFailure && error.cause.type === CLAIM_REFUSED
  )
}

export const recordDecision = nearThenLedger('recordDecision')
export const expireGate = nearThenLedger('expireGate')
export const recordCancel = nearThenLedger('recordCancel')
export const closeRun = nearThenLedger('closeRun')
