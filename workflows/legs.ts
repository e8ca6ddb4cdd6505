import { ActivityCancellationType, proxyActivities, proxyLocalActivities } from '@temporalio/workflow'
import type { LaneActivities } from '#core/contract.ts'

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
 * A leg beside the workflow task: no hop. It begins nothing that may take long, and ends well before the engine would ask for a
 * sign of life; whatever becomes of it, the next leg goes the ordinary way.
 */
export const { advanceRun: advanceNear } = proxyLocalActivities<LaneActivities>({
  scheduleToStartTimeout: '500ms',
  startToCloseTimeout: '3s',
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  retry: { maximumAttempts: 1 },
})
