import { ApplicationFailure } from '@temporalio/common'
import { type AnnounceClaim, type Announced, NOTICE_RETRY } from '#core/action-contract.ts'
import type { Channel } from '#platform/notify/channel-kind.ts'
import { refuseClaim } from '#services/approvals/refuse-claim.ts'
import type { NoticeRow } from '#store/notice-deliveries.ts'
import { claimedGate } from './claimed-gate.ts'
import type { NoticeDeps } from './deps.ts'
import { gateNotice } from './gate-notice.ts'

/**
 * Tells one recipient what was planned on record. Whatever passes by itself is thrown and tried again by the engine; what cannot
 * be helped is recorded and answered. A repeat of what has arrived sends nothing.
 */
export const createAnnounceGate = (deps: NoticeDeps) =>
  async function announceGate(claim: AnnounceClaim): Promise<Announced> {
    const { gate_id, run_id, notice_id } = claim
    const gate = await claimedGate(deps, claim)
    const planned = await deps.deliveries.find(notice_id)
    if (planned?.gate_id !== gate_id)
      throw await refuseClaim(deps.claims, 'unknown_notice', run_id, { gate_id, notice_id })
    const { kind, channel: name, recipient, status } = planned
    // between the decision and the next attempt nobody is asked for what is settled
    if (status === 'delivered' || (kind !== 'resolved' && gate.status !== 'open')) return { status: 'skipped' }
    const channel = deps.channels.get(name)
    const unreachable = whyUnreachable(channel, planned)
    if (channel === undefined || unreachable !== undefined) {
      await deps.deliveries.record(notice_id, { ok: false, detail: unreachable ?? '' })
      return { status: 'failed' }
    }
    const notice = await gateNotice(deps, gate, planned)
    const previous = kind === 'opened' ? undefined : await deps.deliveries.reference(planned)
    const outcome = await deps.send(channel, { address: recipient, notice, previous })
    await deps.deliveries.record(notice_id, outcome.ok ? outcome : { ...outcome, ...nextAttempt(planned, outcome) })
    if (outcome.ok) return { status: 'delivered' }
    deps.log.warn({ gate_id, kind, channel: name, detail: outcome.detail }, 'a notice was not delivered')
    if (!outcome.retryable) return { status: 'failed' }
    throw ApplicationFailure.create({
      message: outcome.detail,
      type: 'not_delivered',
      ...(outcome.retry_after_ms === undefined ? {} : { nextRetryDelay: outcome.retry_after_ms }),
    })
  }

/** When the engine makes the next attempt, as far as the record can say. */
function nextAttempt(
  { attempts }: NoticeRow,
  { retryable, retry_after_ms }: { retryable: boolean; retry_after_ms?: number },
): { again_ms?: number } {
  if (!retryable) return {}
  const { first_ms, factor, most_ms } = NOTICE_RETRY
  return { again_ms: retry_after_ms ?? Math.min(most_ms, first_ms * factor ** Math.min(attempts, 20)) }
}

/** Whoever a channel no longer names is asked nothing; who was told before still hears that it is over. */
function whyUnreachable(channel: Channel | undefined, { kind, recipient }: NoticeRow): string | undefined {
  if (channel === undefined) return 'there is no such channel'
  const isNamed = channel.addresses.some((address) => address === recipient || isOldNameOf(recipient, address))
  return isNamed || kind === 'resolved' ? undefined : 'the channel does not name this recipient'
}

/** Recipients were told apart by less once: a gate that was announced under such a name goes on under it. */
function isOldNameOf(recipient: string, address: string): boolean {
  return address.startsWith(`${recipient}#`)
}
