import { proxyActivities, sleep } from '@temporalio/workflow'
import { isResultOf } from '#core/activity-results.ts'
import {
  type GateNoticesInput,
  NOTICE_RETRY,
  type NoticeActivities,
  type NoticeKind,
  type NoticePlan,
  type PlannedNotice,
} from '#core/notify/contract.ts'

const RETRY_NOTICE = {
  initialInterval: NOTICE_RETRY.first_ms,
  backoffCoefficient: NOTICE_RETRY.factor,
  maximumInterval: NOTICE_RETRY.most_ms,
}

const record = proxyActivities<NoticeActivities>({ startToCloseTimeout: '10s', retry: RETRY_NOTICE })

/** Asks the record for the notices that are due, and for the next time; repeated where the answer was forged. */
export async function planNotices(gate: GateNoticesInput): Promise<NoticePlan> {
  for (;;) {
    const plan = await record.planNotices(gate)
    if (isResultOf.planNotices(plan)) return plan
    await sleep(NOTICE_RETRY.first_ms)
  }
}

const ATTEMPT_TIMEOUT = '30s'

/** Delivers one notice for as long as it is useful; the record has its result. */
export async function deliverNotice(
  input: GateNoticesInput,
  delivered: Record<NoticeKind, number>,
  { notice_id, kind, channel }: PlannedNotice,
  within_ms: number,
): Promise<void> {
  const { announceGate } = proxyActivities<NoticeActivities>({
    startToCloseTimeout: ATTEMPT_TIMEOUT,
    scheduleToCloseTimeout: within_ms,
    // a delivery in progress ends, and is then corrected like the rest
    cancellationType: 'WAIT_CANCELLATION_COMPLETED',
    retry: RETRY_NOTICE,
  })
  try {
    const { status } = await announceGate.executeWithOptions({ summary: `${kind} → ${channel}` }, [
      { ...input, notice_id },
    ])
    if (status === 'delivered') delivered[kind] += 1
  } catch {
    // the channel was unavailable all that time, or the gate is over: the record tells
  }
}
