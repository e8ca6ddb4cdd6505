import { type AnnounceClaim, type Announced, isAsking } from '#core/notify/contract.ts'
import type { NoticeAnswer } from '#core/notify/types.ts'
import type { NoticeView } from '#services/approvals/notice-gates.ts'
import { refuseClaim } from '#services/approvals/refuse-claim.ts'
import { deliver } from './deliver.ts'
import type { NoticeDeps } from './deps.ts'
import { gateNotice } from './gate-notice.ts'
import { claimedGate } from './plan-notices.ts'

/**
 * Tells one recipient what was planned on record. A failure that may pass is thrown, and the engine tries again; what cannot
 * be helped is recorded and answered. A repeat of what has arrived sends nothing.
 */
export const createAnnounceGate = (deps: NoticeDeps) =>
  async function announceGate(claim: AnnounceClaim): Promise<Announced> {
    const { gate_id, run_id, notice_id } = claim
    const gate = await claimedGate(deps, claim)
    const planned = await deps.deliveries.find(notice_id)
    if (planned?.gate_id !== gate_id)
      throw await refuseClaim(deps.claims, 'unknown_notice', run_id, { gate_id, notice_id })
    const { kind, status } = planned
    // the gate was decided before this attempt, or a digest tells it
    if (status === 'delivered' || status === 'folded' || (isAsking(kind) && gate.status !== 'open'))
      return { status: 'skipped' }
    const answered = kind === 'answered_for_you' ? await answerFor(deps, gate, planned) : undefined
    if (kind === 'answered_for_you' && answered === undefined) {
      await deps.deliveries.record(notice_id, { ok: false, detail: 'nobody of this mail address can sign in' })
      return { status: 'failed' }
    }
    return await deliver(deps, planned, async () => ({
      notice: await gateNotice(deps, gate, { ...planned, answered }),
      previous: kind === 'opened' ? undefined : await deps.deliveries.reference(gate_id, planned),
    }))
  }

/** What was answered last in the name of this recipient. */
async function answerFor(
  { gates }: NoticeDeps,
  { gate_id, status }: NoticeView,
  { recipient }: { recipient: string },
): Promise<NoticeAnswer | undefined> {
  const answers = await gates.answeredFor(gate_id)
  const last = answers.findLast(({ email }) => email === recipient)
  if (last === undefined) return undefined
  const { email: _email, ...answer } = last
  return { ...answer, gate: status }
}
