import { proxyActivities, proxyLocalActivities, sleep, TemporalFailure } from '@temporalio/workflow'
import { isResultOf } from '#core/activity-results.ts'
import { LEDGER_QUEUE, type LedgerActivities } from '#core/contract.ts'
import type { PipelineActivities } from '#core/pipeline/contract.ts'
import { isRefusedClaim } from './refused-claim.ts'

type RecordActivities = LedgerActivities & PipelineActivities

/** Before the record is asked again, when what came back is no answer of it. */
export const PAUSE_MS = 1_000

/**
 * Short records made beside the workflow task itself: no hop, no lane slot. The attempts are counted, because a local
 * activity that fails at once is otherwise repeated past its schedule-to-close timeout.
 */
const near = proxyLocalActivities<RecordActivities>({
  startToCloseTimeout: '2s',
  scheduleToCloseTimeout: '6s',
  localRetryThreshold: '2s',
  retry: { initialInterval: '100ms', maximumInterval: '1s', maximumAttempts: 3 },
})

/** The same records when the near way is closed: durable, for as long as it takes. */
const ledger = proxyActivities<RecordActivities>({
  taskQueue: LEDGER_QUEUE,
  startToCloseTimeout: '10s',
  retry: { initialInterval: '500ms', backoffCoefficient: 2, maximumInterval: '10s' },
})

/**
 * Every record is safe to repeat and the first one stands, so the durable way may follow the near one, and both are asked again
 * when somebody has answered in the place of our worker.
 */
function nearThenLedger<Name extends keyof RecordActivities>(name: Name): RecordActivities[Name] {
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
  return record as RecordActivities[Name]
}

export const recordDecision = nearThenLedger('recordDecision')
export const expireGate = nearThenLedger('expireGate')
export const readDelay = nearThenLedger('readDelay')
export const recordCancel = nearThenLedger('recordCancel')
export const closeRun = nearThenLedger('closeRun')
export const advancePipeline = nearThenLedger('advancePipeline')
