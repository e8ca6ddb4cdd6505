import { proxyActivities, sleep } from '@temporalio/workflow'
import { type ActionActivities, type EndInput, type EndResult, NOTICE_RETRY } from '#core/action-contract.ts'
import { isResultOf } from '#core/activity-results.ts'
import { deliverEach, PATIENT, SHORT } from './deliver-each.ts'

const { planEnd } = proxyActivities<ActionActivities>(SHORT)
const { announceEnd } = proxyActivities<ActionActivities>(PATIENT)

/** Tells how a run ended, each recipient by a delivery of their own. */
export async function endV1(input: EndInput): Promise<EndResult> {
  let notices = await planEnd(input)
  // the result did not come from our worker: ask the record again
  while (!isResultOf.planEnd(notices)) {
    await sleep(NOTICE_RETRY.first_ms)
    notices = await planEnd(input)
  }
  return await deliverEach(notices, (options, notice_id) =>
    announceEnd.executeWithOptions(options, [{ ...input, notice_id }]),
  )
}
