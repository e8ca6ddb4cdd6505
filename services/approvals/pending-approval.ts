import { DomainError } from '#core/errors.ts'
import type { JsonObject } from '#core/json.ts'
import { usdFromMicro } from '#core/money.ts'
import type { PendingApproval } from '#core/run/approval-schema.ts'
import { visible } from '#core/visible-text.ts'
import type { ApprovalViews, OpenGateView } from '#store/approval-views.ts'
import type { HaltStore } from '#store/halts.ts'

/** Exactly what waits for an answer: what was written when the gate opened, with the votes and the spending of now. */
export async function pendingApproval(
  ctx: { workspace_id: string; approvals: ApprovalViews; halts: Pick<HaltStore, 'over'> },
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
  const halts = await ctx.halts.over(runId)
  return {
    ...toPendingApproval(open, open.gate_id),
    ...(halts.length > 0 && { halts: halts.map(({ id, reason, by }) => ({ id, reason, by: by.display })) }),
  }
}

function toPendingApproval(open: OpenGateView, gate_id: string): PendingApproval {
  const { estimate_usd, ...shown } = withoutNulls(open.view)
  return {
    ...shownDefaults(shown),
    run_id: open.run_id,
    gate_id,
    kind: open.kind,
    step: open.step,
    opened_at: open.opened_at,
    expires_at: open.expires_at,
    plan_hash: open.plan_hash,
    required: open.required,
    decisions: open.decisions.map(({ by, note, ...vote }) => ({
      ...vote,
      by: visible(by),
      at: new Date(vote.at).toISOString(),
      ...(note === null ? {} : { note: visible(note) }),
    })),
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
