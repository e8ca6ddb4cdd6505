import { proxyActivities } from '@temporalio/workflow'
import { isResultOf } from '#core/activity-results.ts'
import type { DigestInput, NoticeActivities, NoticesResult } from '#core/notify/contract.ts'
import { deliverEach, PATIENT, planned, SHORT } from './deliver-each.ts'

const { planDigest } = proxyActivities<NoticeActivities>(SHORT)
const { announceDigest } = proxyActivities<NoticeActivities>(PATIENT)

/** Sends one message of a digest to its recipient. */
export async function digestV1(input: DigestInput): Promise<NoticesResult> {
  const notices = await planned(() => planDigest(input), isResultOf.planDigest)
  return await deliverEach(notices, (options, notice_id) =>
    announceDigest.executeWithOptions(options, [{ ...input, notice_id }]),
  )
}
