import { sleep } from '@temporalio/workflow'
import { type Announced, NOTICE_RETRY, type NoticesResult } from '#core/notify/contract.ts'

const retry = {
  initialInterval: NOTICE_RETRY.first_ms,
  backoffCoefficient: NOTICE_RETRY.factor,
  maximumInterval: NOTICE_RETRY.most_ms,
}

export const SHORT = { startToCloseTimeout: '10s', retry } as const
/** A message is news for a day. */
export const PATIENT = { startToCloseTimeout: '30s', scheduleToCloseTimeout: '24h', retry } as const

/** What the record says is to be sent. A result that did not come from our worker is not believed: the record is asked again. */
export async function planned<Notices>(
  plan: () => Promise<Notices>,
  isPlan: (result: unknown) => boolean,
): Promise<Notices> {
  let notices = await plan()
  while (!isPlan(notices)) {
    await sleep(NOTICE_RETRY.first_ms)
    notices = await plan()
  }
  return notices
}

/** Sends each recipient's message by itself: a channel that is away holds up none of the others. */
export async function deliverEach(
  notices: readonly { notice_id: number; kind: string; channel: string }[],
  announce: (options: { summary: string }, noticeId: number) => Promise<Announced>,
): Promise<NoticesResult> {
  const reached = await Promise.all(
    notices.map(async ({ notice_id, kind, channel }) => {
      try {
        return (await announce({ summary: `${kind} → ${channel}` }, notice_id)).status === 'delivered'
      } catch {
        // the channel was unavailable all that time: the record tells
        return false
      }
    }),
  )
  return { delivered: reached.filter(Boolean).length }
}
