import type { Actor } from '#core/actor.ts'
import { DomainError } from '#core/errors.ts'
import { barredFrom } from '#core/gate/contributors.ts'
import { needsConfirmation } from '#core/gate/needs-confirmation.ts'
import { missing } from '#core/gate/requirement.ts'
import type { Vote } from '#core/gate/tally.ts'
import { setterFor } from '#core/halt/halt.ts'
import type { JsonObject } from '#core/json/json.ts'
import { usdFromMicro } from '#core/money.ts'
import type { PendingApproval } from '#core/run/approval-schema.ts'
import { visible } from '#core/text/visible-text.ts'
import { isoOfDatabase } from '#core/time/time.ts'
import type { ApprovalViews, OpenGateView } from '#store/gates/approval-views.ts'
import type { HaltStore } from '#store/halts.ts'
import { seesAddresses } from '../auth/may.ts'
import { type VotePorts, votesOn } from './current-votes.ts'
import { gateRequester, type PersonOf, peopleOf, retryOf, shapedBy } from './gate-people.ts'
import { toRemarks } from './remark-on-gate.ts'

/** Returns the gate for its answer: the view from its opening, with the current votes and spending. */
export async function pendingApproval(
  ctx: VotePorts & {
    workspace_id: string
    actor: Pick<Actor, 'roles' | 'scopes' | 'workspaces'>
    approvals: Pick<ApprovalViews, 'findOpen'>
    halts: Pick<HaltStore, 'covering'>
  },
  runId: string,
): Promise<PendingApproval> {
  const open = await ctx.approvals.findOpen(ctx.workspace_id, runId)
  if (!open) throw new DomainError('not_found', `no run ${runId}`)
  if (open.gate_id === null || open.status !== 'awaiting_approval') {
    throw new DomainError('run_not_awaiting', `The run is ${open.status}, nothing waits for an answer.`, {
      run_id: runId,
      run_status: open.status,
    })
  }
  const gate = { ...open, gate_id: open.gate_id }
  const [votes, halts] = await Promise.all([votesOn(ctx, ctx.workspace_id, gate), ctx.halts.covering(runId)])
  return {
    ...toPendingApproval({ ...gate, votes }, peopleOf(open, seesAddresses(ctx.actor))),
    ...(halts.length > 0 && {
      halts: halts.map((halt) => ({ id: halt.id, reason: halt.reason, by: setterFor(ctx.actor, halt).display })),
    }),
  }
}

function toPendingApproval(
  open: OpenGateView & { gate_id: string; votes: Vote[] },
  personOf: PersonOf,
): PendingApproval {
  const { estimate_usd, ...view } = withoutNulls(open.view)
  const shown = shownDefaults(view)
  return {
    ...shown,
    run_id: open.run_id,
    gate_id: open.gate_id,
    kind: open.kind,
    step: open.step,
    opened_at: open.opened_at,
    expires_at: open.expires_at,
    plan_hash: open.plan_hash,
    needs_confirmation: needsConfirmation({ ...open, ...shown.operation }),
    required: open.required,
    ...gateRequester(open, personOf),
    ...retryOf(open),
    shaped_by: shapedBy(open, personOf),
    missing: missing(open.required, open.votes, barredFrom(open.required, open.provenance)),
    decisions: open.decisions.map(({ decision_id, by, via, decision, channel, at, note }) => {
      const [person, account] = [personOf(by), via === null ? undefined : personOf(via)]
      return {
        by: visible(by),
        ...(person && { person }),
        ...(account && { via: account }),
        decision,
        counts: open.votes.some((vote) => vote.decision_id === decision_id),
        channel,
        at: isoOfDatabase(at),
        ...(note === null ? {} : { note: visible(note) }),
      }
    }),
    ...toRemarks(open.remarks),
    allowed_decisions: ['approve', 'reject'],
    cost: {
      spent_usd: usdFromMicro(open.spent_micro_usd),
      reserved_usd: usdFromMicro(open.reserved_micro_usd),
      cap_usd: usdFromMicro(open.cap_micro_usd),
      ...(typeof estimate_usd === 'number' ? { estimate_usd } : {}),
    },
  }
}

type Shown = Pick<
  PendingApproval,
  | 'operation'
  | 'plan'
  | 'inputs'
  | 'secret_commitments'
  | 'authorities'
  | 'evidence'
  | 'channels'
  | 'broken_policies'
  | 'because'
>

/** The view was written by the step that opened the gate, in this very shape; the database only gives it back. */
function shownDefaults(view: JsonObject): Shown {
  return view as JsonObject & Shown
}

function withoutNulls(view: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(view).filter(([, value]) => value !== null))
}
