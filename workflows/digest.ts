import { proxyActivities } from '@temporalio/workflow'
import type { ActionActivities, DigestInput, EndResult } from '#core/action-contract.ts'
import { isResultOf } from '#core/activity-results.ts'
import { deliverEach, PATIENT, planned, SHORT } from './deliver-each.ts'

const { planDigest } = proxyActivities<ActionActivities>(SHORT)
const { announceDigest } = proxyActivities<ActionActivities>(PATIENT)

/** Sends one message of a digest to its recipient. */
export async function digestV1(input: DigestInput): Promise<EndResult> {
  const notices = await planned(() => planDigest(input), isResultOf.planDigest)
  return await deliverEach(notices, (options, notice_id) =>
    announceDigest.executeWithOptions(options, [{ ...input, notice_id }]),
  )
}
