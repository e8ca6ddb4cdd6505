import { proxyActivities, sleep } from '@temporalio/workflow'
import { isResultOf } from '#core/activity-results.ts'
import {
  type Announced,
  type ConnectionInput,
  type DigestInput,
  type EndInput,
  type HaltInput,
  NOTICE_RETRY,
  type NoticeActivities,
  type NoticesResult,
} from '#core/notify/contract.ts'

export const RETRY = {
  initialInterval: NOTICE_RETRY.first_ms,
  backoffCoefficient: NOTICE_RETRY.factor,
  maximumInterval: NOTICE_RETRY.most_ms,
}

export const SHORT = { startToCloseTimeout: '10s', retry: RETRY } as const
/** A message is news for a day. */
const PATIENT = { startToCloseTimeout: '30s', scheduleToCloseTimeout: '24h', retry: RETRY } as const

const { planConnection, planDigest, planEnd, planHalt } = proxyActivities<NoticeActivities>(SHORT)
const { announceConnection, announceDigest, announceEnd, announceHalt } = proxyActivities<NoticeActivities>(PATIENT)

/** Sends one message about what was authorised for a connection to its recipients. */
export async function connectionV1(input: ConnectionInput): Promise<NoticesResult> {
  const notices = await planned(() => planConnection(input), isResultOf.planConnection)
  return await deliverEach(notices, (options, notice_id) =>
    announceConnection.executeWithOptions(options, [{ ...input, notice_id }]),
  )
}

/** Sends one message of a digest to its recipient. */
export async function digestV1(input: DigestInput): Promise<NoticesResult> {
  const notices = await planned(() => planDigest(input), isResultOf.planDigest)
  return await deliverEach(notices, (options, notice_id) =>
    announceDigest.executeWithOptions(options, [{ ...input, notice_id }]),
  )
}

/** Tells how a run ended, each recipient by a delivery of their own. */
export async function endV1(input: EndInput): Promise<NoticesResult> {
  const notices = await planned(() => planEnd(input), isResultOf.planEnd)
  return await deliverEach(notices, (options, notice_id) =>
    announceEnd.executeWithOptions(options, [{ ...input, notice_id }]),
  )
}

/** Sends one message about a halt to its recipients. */
export async function haltV1(input: HaltInput): Promise<NoticesResult> {
  const notices = await planned(() => planHalt(input), isResultOf.planHalt)
  return await deliverEach(notices, (options, notice_id) =>
    announceHalt.executeWithOptions(options, [{ ...input, notice_id }]),
  )
}

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
async function deliverEach(
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
