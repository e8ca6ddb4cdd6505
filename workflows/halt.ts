import { proxyActivities, sleep } from '@temporalio/workflow'
import { type ActionActivities, type EndResult, type HaltInput, NOTICE_RETRY } from '#core/action-contract.ts'
import { isResultOf } from '#core/activity-results.ts'
import { deliverEach, PATIENT, SHORT } from './deliver-each.ts'

const { planHalt } = proxyActivities<ActionActivities>(SHORT)
const { announceHalt } = proxyActivities<ActionActivities>(PATIENT)

/** Sends one message about a halt to its recipients. */
export async function haltV1(input: HaltInput): Promise<EndResult> {
  let notices = await planHalt(input)
  // the result did not come from our worker: ask the record again
  while (!isResultOf.planHalt(notices)) {
    await sleep(NOTICE_RETRY.first_ms)
    notices = await planHalt(input)
  }
  return await deliverEach(notices, (options, notice_id) =>
    announceHalt.executeWithOptions(options, [{ ...input, notice_id }]),
  )
}
