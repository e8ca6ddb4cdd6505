import { proxyActivities, sleep } from '@temporalio/workflow'
import { type ActionActivities, type DigestInput, type EndResult, NOTICE_RETRY } from '#core/action-contract.ts'
import { isResultOf } from '#core/activity-results.ts'
import { deliverEach, PATIENT, SHORT } from './deliver-each.ts'

const { planDigest } = proxyActivities<ActionActivities>(SHORT)
const { announceDigest } = proxyActivities<ActionActivities>(PATIENT)

/** Sends one message of a digest to its recipient. */
export async function digestV1(input: DigestInput): Promise<EndResult> {
  let notices = await planDigest(input)
  // the result did not come from our worker: ask the record again
  while (!isResultOf.planDigest(notices)) {
    await sleep(NOTICE_RETRY.first_ms)
    notices = await planDigest(input)
  }
  return await deliverEach(notices, (options, notice_id) =>
    announceDigest.executeWithOptions(options, [{ ...input, notice_id }]),
  )
}
