import { proxyActivities } from '@temporalio/workflow'
import { isResultOf } from '#core/activity-results.ts'
import type { ConnectionInput, NoticeActivities, NoticesResult } from '#core/notify/contract.ts'
import { deliverEach, PATIENT, planned, SHORT } from './deliver-each.ts'

const { planConnection } = proxyActivities<NoticeActivities>(SHORT)
const { announceConnection } = proxyActivities<NoticeActivities>(PATIENT)

/** Sends one message about what was authorised for a connection to its recipients. */
export async function connectionV1(input: ConnectionInput): Promise<NoticesResult> {
  const notices = await planned(() => planConnection(input), isResultOf.planConnection)
  return await deliverEach(notices, (options, notice_id) =>
    announceConnection.executeWithOptions(options, [{ ...input, notice_id }]),
  )
}
