import { proxyActivities, sleep } from '@temporalio/workflow'
import { type ActionActivities, type ActionInput, NOTICE_RETRY, type NoticePlan } from '#core/action-contract.ts'
import { isResultOf } from '#core/activity-results.ts'

export const RETRY_NOTICE = {
  initialInterval: NOTICE_RETRY.first_ms,
  backoffCoefficient: NOTICE_RETRY.factor,
  maximumInterval: NOTICE_RETRY.most_ms,
}

const record = proxyActivities<ActionActivities>({ startToCloseTimeout: '10s', retry: RETRY_NOTICE })

/** Asks the record what is to be told now, and when it is to be asked again; again where the answer was forged. */
export async function planNotices(gate: ActionInput): Promise<NoticePlan> {
  for (;;) {
    const plan = await record.planNotices(gate)
    if (isResultOf.planNotices(plan)) return plan
    await sleep(NOTICE_RETRY.first_ms)
  }
}
