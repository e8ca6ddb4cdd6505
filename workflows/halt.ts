import { proxyActivities } from '@temporalio/workflow'
import { isResultOf } from '#core/activity-results.ts'
import type { HaltInput, NoticeActivities, NoticesResult } from '#core/notify/contract.ts'
import { deliverEach, PATIENT, planned, SHORT } from './deliver-each.ts'

const { planHalt } = proxyActivities<NoticeActivities>(SHORT)
const { announceHalt } = proxyActivities<NoticeActivities>(PATIENT)

/** Sends one message about a halt to its recipients. */
export async function haltV1(input: HaltInput): Promise<NoticesResult> {
  const notices = await planned(() => planHalt(input), isResultOf.planHalt)
  return await deliverEach(notices, (options, notice_id) =>
    announceHalt.executeWithOptions(options, [{ ...input, notice_id }]),
  )
}
