import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common'
import type { Announced, AnnounceEndClaim } from '#core/notify/contract.ts'
import { refuseClaim } from '#services/approvals/refuse-claim.ts'
import type { EndView } from '#store/notices/end-views.ts'
import type { Addressee } from '#store/notices/notice-deliveries.ts'
import { deliver } from './deliver.ts'
import type { NoticeDeps } from './deps.ts'
import { endNotice } from './end-notice.ts'
import { claimedEnd } from './plan-end.ts'

/** How long the news of a decision may take before the end is told without it. */
const DECISION_FIRST_MS = 30_000

/** Tells one recipient how a run ended, in the conversation of its last gate that they were told of, and after its decision. */
export const createAnnounceEnd = (deps: NoticeDeps) =>
  async function announceEnd(claim: AnnounceEndClaim): Promise<Announced> {
    const { run_id, notice_id } = claim
    const run = await claimedEnd(deps, claim)
    const planned = await deps.deliveries.find(notice_id)
    if (planned?.run_id !== run_id) throw await refuseClaim(deps.claims, 'unknown_notice', run_id, { notice_id })
    if (planned.status === 'delivered' || planned.status === 'folded') return { status: 'skipped' }
    const gate_id = conversationOf(run, planned)
    if (gate_id !== undefined) await letDecisionPass(deps, run, gate_id, planned)
    return await deliver(deps, planned, async () => ({
      notice: endNotice(deps, run),
      previous: gate_id === undefined ? undefined : await deps.deliveries.reference(gate_id, planned),
    }))
  }

/** The last gate that this recipient was told of. */
function conversationOf({ gates, asked }: EndView, { channel, recipient }: Addressee): string | undefined {
  const knows = (gateId: string) =>
    asked.some((each) => each.gate_id === gateId && each.channel === channel && each.recipient === recipient)
  return gates.findLast(({ gate_id }) => knows(gate_id))?.gate_id
}

/** A run may end within the second in which it was approved: first things first. */
async function letDecisionPass(deps: NoticeDeps, run: EndView, gateId: string, to: Addressee): Promise<void> {
  if (deps.clock() - Date.parse(run.ended_at) > DECISION_FIRST_MS) return
  if (await deps.deliveries.knowsOutcome(gateId, to)) return
  throw ApplicationFailure.create({
    message: 'its decision is told first',
    type: 'not_yet',
    nextRetryDelay: '1s',
    category: ApplicationFailureCategory.BENIGN,
  })
}
