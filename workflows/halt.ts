import { proxyActivities } from '@temporalio/workflow'
import type { ActionActivities, EndResult, HaltInput } from '#core/action-contract.ts'
import { isResultOf } from '#core/activity-results.ts'
import { deliverEach, PATIENT, planned, SHORT } from './deliver-each.ts'

const { planHalt } = proxyActivities<ActionActivities>(SHORT)
const { announceHalt } = proxyActivities<ActionActivities>(PATIENT)

/** Sends one message about a halt to its recipients. */
export async function haltV1(input: HaltInput): Promise<EndResult> {
  const notices = await planned(() => planHalt(input), isResultOf.planHalt)
  return await deliverEach(notices, (options, notice_id) =>
    announceHalt.executeWithOptions(options, [{ ...input, notice_id }]),
  )
}
