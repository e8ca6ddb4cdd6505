import {
  ActivityCancellationType,
  ActivityFailure,
  ApplicationFailure,
  proxyActivities,
  proxyLocalActivities,
  sleep,
  TemporalFailure,
} from '@temporalio/workflow'
import { isResultOf } from '#core/activity-results.ts'
import { CLAIM_REFUSED, type LaneActivities, LEDGER_QUEUE, type LedgerActivities } from '#core/contract.ts'

/** A leg ends by itself within this time, or its steps' own timeouts have ended it long before. */
const LEG_TIMEOUT = '24h'

/** Before the record is asked again, when what came back is no answer of it. */
export const PAUSE_MS = 1_000

/** Infrastructure comes back: until then a leg is repeated. What a template may retry is decided inside the leg. */
export const { advanceRun } = proxyActivities<LaneActivities>({
  startToCloseTimeout: LEG_TIMEOUT,
  heartbeatTimeout: '4s',
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  retry: { initialInterval: '250ms', backoffCoefficient: 2, maximumInterval: '10s' },
})

/**
 * A leg beside the workflow task: no hop. It begins nothing that may take long, and ends well before the engine would ask for a
 * sign of life; whatever becomes of it, the next leg goes the ordinary way.
 */
export const { advanceRun: advanceNear } = proxyLocalActivities<LaneActivities>({
  scheduleToStartTimeout: '500ms',
  startToCloseTimeout: '3s',
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  retry: { maximumAttempts: 1 },
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

/**
 * Every record is safe to repeat and the first one stands, so the durable way may follow the near one, and both are asked again
 * when somebody has answered in the place of our worker.
 */
function nearThenLedger<Name extends keyof LedgerActivities>(name: Name): LedgerActivities[Name] {
  const record = async (input: unknown) => {
    for (;;) {
      for (const way of [near, ledger]) {
        try {
          const result = await (way[name] as (input: unknown) => Promise<unknown>)(input)
          if (isResultOf[name](result)) return result
        } catch (error) {
          if (!(error instanceof TemporalFailure) || isRefusedClaim(error)) throw error
        }
      }
      await sleep(PAUSE_MS)
    }
  }
  return record as LedgerActivities[Name]
}

/** The record knows no such run, or it is not this workflow's: nothing is left to do. */
export function isRefusedClaim(error: unknown): boolean {
  // what fails beside the workflow task is not wrapped
  const cause = error instanceof ActivityFailure ? error.cause : error
  return cause instanceof ApplicationFailure && cause.type === CLAIM_REFUSED
}

export const recordDecision = nearThenLedger('recordDecision')
export const expireGate = nearThenLedger('expireGate')
export const readDelay = nearThenLedger('readDelay')
export const recordCancel = nearThenLedger('recordCancel')
export const closeRun = nearThenLedger('closeRun')
