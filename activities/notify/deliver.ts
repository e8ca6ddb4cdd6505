import { ApplicationFailure } from '@temporalio/common'
import type { JsonObject } from '#core/json/json.ts'
import { type Announced, NOTICE_RETRY } from '#core/notify/contract.ts'
import { asksForAnswer } from '#core/notify/message.ts'
import { isAboutRun, type Notice } from '#core/notify/types.ts'
import type { Channel } from '#platform/notify/channel-kind.ts'
import type { NoticeRow } from '#store/notices/notice-deliveries.ts'
import type { NoticeDeps } from './deps.ts'

/** However long a channel asks to wait: a gate may be answered meanwhile, and somebody is told of that. */
const LONGEST_WAIT_MS = 60 * 60 * 1_000

/** Tells one recipient what was planned: what passes by itself is thrown and tried again, what cannot be helped is recorded. */
export async function deliver(
  deps: NoticeDeps,
  planned: NoticeRow,
  message: () => Promise<{ notice: Notice; previous: JsonObject | undefined }>,
): Promise<Announced> {
  const { id, kind, channel: name, recipient } = planned
  const channel = deps.channels.get(name)
  const unreachable = whyNotNamed(channel, planned)
  if (channel === undefined || unreachable !== undefined) {
    await deps.deliveries.record(id, { ok: false, detail: unreachable ?? '' })
    return { status: 'failed' }
  }
  const { notice, previous } = await message()
  const outcome = await deps.send(channel, { address: recipient, notice, previous })
  if (outcome.ok) {
    await deps.deliveries.record(id, outcome)
    return { status: 'delivered' }
  }
  const again_ms = outcome.retryable ? nextAttempt(planned.attempts, outcome, timeLeft(deps, notice)) : undefined
  await deps.deliveries.record(id, { ...outcome, ...(again_ms === undefined ? {} : { again_ms }) })
  const about = isAboutRun(notice)
    ? { run_id: notice.run_id, gate_id: notice.gate_id }
    : { halt_id: planned.halt_id, digest_id: planned.digest_id, authorization_id: planned.authorization_id }
  deps.log.warn({ ...about, kind, channel: name, detail: outcome.detail }, 'a notice was not delivered')
  if (!outcome.retryable) return { status: 'failed' }
  throw ApplicationFailure.create({
    message: outcome.detail,
    type: 'not_delivered',
    ...(again_ms === undefined ? {} : { nextRetryDelay: again_ms }),
  })
}

/** How long an answer can still be given; endless where nothing is asked. */
function timeLeft({ clock }: NoticeDeps, notice: Notice): number {
  if (!isAboutRun(notice)) return Number.POSITIVE_INFINITY
  const { expires_at } = notice
  return expires_at !== null && asksForAnswer(notice) ? Date.parse(expires_at) - clock() : Number.POSITIVE_INFINITY
}

/** The waits grow, and shrink again towards the end: a wait beyond it would be the last, though there is time for many. */
function nextAttempt(attempts: number, { retry_after_ms }: { retry_after_ms?: number }, left_ms: number): number {
  const { first_ms, factor, most_ms } = NOTICE_RETRY
  const planned = Math.min(most_ms, first_ms * factor ** Math.min(attempts, 20))
  const most_now_ms = Math.max(first_ms, Math.floor(left_ms / 3))
  return Math.min(retry_after_ms === undefined ? planned : Math.min(retry_after_ms, LONGEST_WAIT_MS), most_now_ms)
}

/** A recipient whom the channel no longer names is asked nothing; one who was told before still hears that it is over. */
function whyNotNamed(channel: Channel | undefined, { kind, recipient }: NoticeRow): string | undefined {
  if (channel === undefined) return 'there is no such channel'
  const isNamed = channel.addresses.includes(recipient)
  const isToPerson = kind === 'answered_for_you' || (kind.startsWith('connection_') && !isNamed)
  if (isToPerson)
    return channel.reaches_people ? undefined : 'the channel cannot address a person by their mail address'
  const isOutcome = kind === 'resolved' || kind === 'ended'
  return isNamed || isOutcome ? undefined : 'the channel does not name this recipient'
}
