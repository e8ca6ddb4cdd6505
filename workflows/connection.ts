import { proxyActivities } from '@temporalio/workflow'
import type { ActionActivities, ConnectionInput, EndResult } from '#core/action-contract.ts'
import { isResultOf } from '#core/activity-results.ts'
import { deliverEach, PATIENT, planned, SHORT } from './deliver-each.ts'

const { planConnection } = proxyActivities<ActionActivities>(SHORT)
const { announceConnection } = proxyActivities<ActionActivities>(PATIENT)

/** Sends one message about what was authorised for a connection to its recipients. */
export async function connectionV1(input: ConnectionInput): Promise<EndResult> {
  const notices = await planned(() => planConnection(input), isResultOf.planConnection)
  return await deliverEach(notices, (options, notice_id) =>
    announceConnection.executeWithOptions(options, [{ ...input, notice_id }]),
  )
}
