import { proxyActivities } from '@temporalio/workflow'
import type { ActionActivities, EndInput, EndResult } from '#core/action-contract.ts'
import { isResultOf } from '#core/activity-results.ts'
import { deliverEach, PATIENT, planned, SHORT } from './deliver-each.ts'

const { planEnd } = proxyActivities<ActionActivities>(SHORT)
const { announceEnd } = proxyActivities<ActionActivities>(PATIENT)

/** Tells how a run ended, each recipient by a delivery of their own. */
export async function endV1(input: EndInput): Promise<EndResult> {
  const notices = await planned(() => planEnd(input), isResultOf.planEnd)
  return await deliverEach(notices, (options, notice_id) =>
    announceEnd.executeWithOptions(options, [{ ...input, notice_id }]),
  )
}
