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
import type { PipelineActivities } from '#core/pipeline/contract.ts'
import type { RemoteJobActivities } from '#core/remote-job/contract.ts'

/** An execution ends within this time, or its steps' own timeouts have ended it long before. */
const EXECUTION_TIMEOUT = '24h'

/** Infrastructure recovers: until then an execution is repeated. A template's own retries are decided inside it. */
export const { advanceRun } = proxyActivities<LaneActivities>({
  startToCloseTimeout: EXECUTION_TIMEOUT,
  heartbeatTimeout: '4s',
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  retry: { initialInterval: '250ms', backoffCoefficient: 2, maximumInterval: '10s' },
})

/**
 * The same as a local activity: no round trip. It begins nothing that may take long, and ends well before the workflow task's heartbeat;
 * after it the next one goes through the lane.
 */
export const { advanceRun: advanceLocally } = proxyLocalActivities<LaneActivities>({
  scheduleToStartTimeout: '500ms',
  startToCloseTimeout: '3s',
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  retry: { maximumAttempts: 1 },
})

type RecordActivities = LedgerActivities & PipelineActivities & RemoteJobActivities

/** Delay before the record is asked again, when the result was not the record's. */
export const PAUSE_MS = 1_000

/**
 * Short records made by local activities: no round trip, no lane slot. The attempts are counted, because a local activity that fails at
 * once is otherwise repeated past its schedule-to-close timeout.
 */
const local = proxyLocalActivities<RecordActivities>({
  startToCloseTimeout: '2s',
  scheduleToCloseTimeout: '6s',
  localRetryThreshold: '2s',
  retry: { initialInterval: '100ms', maximumInterval: '1s', maximumAttempts: 3 },
})

/** The same records when the local activity fails: durable, for as long as it takes. */
const ledger = proxyActivities<RecordActivities>({
  taskQueue: LEDGER_QUEUE,
  startToCloseTimeout: '10s',
  retry: { initialInterval: '500ms', backoffCoefficient: 2, maximumInterval: '10s' },
})

/**
 * Every record is idempotent and the first one counts, so the durable way may follow the local one, and both are repeated when the result
 * did not come from our worker.
 */
function localThenLedger<Name extends keyof RecordActivities>(name: Name): RecordActivities[Name] {
  const record = async (input: unknown) => {
    for (;;) {
      for (const way of [local, ledger]) {
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
  return record as RecordActivities[Name]
}

export const recordDecision = localThenLedger('recordDecision')
export const expireGate = localThenLedger('expireGate')
export const readDelay = localThenLedger('readDelay')
export const recordCancel = localThenLedger('recordCancel')
export const closeRun = localThenLedger('closeRun')
export const advancePipeline = localThenLedger('advancePipeline')
export const startRemoteJob = localThenLedger('startRemoteJob')
export const recordRemoteJob = localThenLedger('recordRemoteJob')

/** The record knows no such run, or it is not this workflow's: nothing is left to do. */
export function isRefusedClaim(error: unknown): boolean {
  // a failure of a local activity is not wrapped
  const cause = error instanceof ActivityFailure ? error.cause : error
  return cause instanceof ApplicationFailure && cause.type === CLAIM_REFUSED
}
