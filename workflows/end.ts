import { proxyActivities } from '@temporalio/workflow'
import { isResultOf } from '#core/activity-results.ts'
import type { EndInput, NoticeActivities, NoticesResult } from '#core/notify/contract.ts'
import { deliverEach, PATIENT, planned, SHORT } from './deliver-each.ts'

const { planEnd } = proxyActivities<NoticeActivities>(SHORT)
const { announceEnd } = proxyActivities<NoticeActivities>(PATIENT)

/** Tells how a run ended, each recipient by a delivery of their own. */
export async function endV1(input: EndInput): Promise<NoticesResult> {
  const notices = await planned(() => planEnd(input), isResultOf.planEnd)
  return await deliverEach(notices, (options, notice_id) =>
    announceEnd.executeWithOptions(options, [{ ...input, notice_id }]),
  )
}
