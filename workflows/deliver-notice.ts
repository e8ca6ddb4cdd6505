import { proxyActivities } from '@temporalio/workflow'
import type { ActionActivities, ActionInput, NoticeKind, PlannedNotice } from '#core/action-contract.ts'
import { RETRY_NOTICE } from './plan-notices.ts'

const ATTEMPT_TIMEOUT = '30s'

/** Delivers one notice for as long as that is worth anything; the record says how it went. */
export async function deliverNotice(
  input: ActionInput,
  delivered: Record<NoticeKind, number>,
  { notice_id, kind, channel }: PlannedNotice,
  within_ms: number,
): Promise<void> {
  const { announceGate } = proxyActivities<ActionActivities>({
    startToCloseTimeout: ATTEMPT_TIMEOUT,
    scheduleToCloseTimeout: within_ms,
    // what is on its way arrives, and is then corrected like the rest
    cancellationType: 'WAIT_CANCELLATION_COMPLETED',
    retry: RETRY_NOTICE,
  })
  try {
    const { status } = await announceGate.executeWithOptions({ summary: `${kind} → ${channel}` }, [
      { ...input, notice_id },
    ])
    if (status === 'delivered') delivered[kind] += 1
  } catch {
    // nobody could be reached in all that time, or the gate is over: the record says which
  }
}
