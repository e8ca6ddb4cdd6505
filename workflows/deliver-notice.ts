import { proxyActivities } from '@temporalio/workflow'
import { isResultOf } from '#core/activity-results.ts'
import type {
  GateNoticesInput,
  NoticeActivities,
  NoticeKind,
  NoticePlan,
  PlannedNotice,
} from '#core/notify/contract.ts'
import { planned, RETRY, SHORT } from './notices.ts'

const record = proxyActivities<NoticeActivities>(SHORT)

/** Asks the record for the notices that are due, and for the next time. */
export function planNotices(gate: GateNoticesInput): Promise<NoticePlan> {
  return planned(() => record.planNotices(gate), isResultOf.planNotices)
}

/** Delivers one notice for as long as it is useful; the record has its result. */
export async function deliverNotice(
  input: GateNoticesInput,
  delivered: Record<NoticeKind, number>,
  { notice_id, kind, channel }: PlannedNotice,
  within_ms: number,
): Promise<void> {
  const { announceGate } = proxyActivities<NoticeActivities>({
    startToCloseTimeout: '30s',
    scheduleToCloseTimeout: within_ms,
    // a delivery in progress ends, and is then corrected like the rest
    cancellationType: 'WAIT_CANCELLATION_COMPLETED',
    retry: RETRY,
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
