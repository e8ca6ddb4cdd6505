import { proxyActivities } from '@temporalio/workflow'
import { type ActionActivities, NOTICE_RETRY } from '#core/action-contract.ts'

export const RETRY_NOTICE = {
  initialInterval: NOTICE_RETRY.first_ms,
  backoffCoefficient: NOTICE_RETRY.factor,
  maximumInterval: NOTICE_RETRY.most_ms,
}

/** Asks the record what is to be told now, and when it is to be asked again. */
export const { planNotices } = proxyActivities<ActionActivities>({ startToCloseTimeout: '10s', retry: RETRY_NOTICE })
