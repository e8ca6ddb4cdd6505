import { DomainError } from '#core/errors.ts'
import type { GateRemarks } from '#core/run/remark-schema.ts'
import { visible } from '#core/text/visible-text.ts'
import { isoOfDatabase } from '#core/time/time.ts'
import type { ApprovalViews, RemarkRow } from '#store/gates/approval-views.ts'
import type { GateDecisions } from '#store/gates/gate-decisions.ts'
import { auditBy } from '../audit/read-audit.ts'
import type { ServiceContext } from '../context.ts'
import { defineVerb } from '../define-verb.ts'

type RemarkContext = ServiceContext & {
  decisions: Pick<GateDecisions, 'read' | 'remark'>
  approvals: Pick<ApprovalViews, 'remarks'>
}

/** The action of each kind, in events and on the audit record, and the limit on one gate. */
const ACKNOWLEDGED = { action: 'gate.acknowledged', most: 100 } as const
const COMMENTED = { action: 'gate.commented', most: 200 } as const

interface Remark {
  gate_id: string
  kind: typeof ACKNOWLEDGED | typeof COMMENTED
  /** recorded once under this name */
  name: string
  text?: string
}

/** Records that the caller looks at an open gate, so that others see it. It is no vote. */
export const acknowledgeGate = defineVerb(
  { role: 'approver', access: 'write', scope: 'workspace' },
  async (ctx: RemarkContext, { gate_id }: { gate_id: string }): Promise<GateRemarks> => {
    if (ctx.actor.type !== 'user')
      throw new DomainError('forbidden', 'Only people acknowledge a gate. A service account may comment on it.')
    return await remark(ctx, { gate_id, kind: ACKNOWLEDGED, name: `acknowledged/${ctx.actor.id}` })
  },
)

/** Records a comment on an open gate. It is no vote. */
export const commentOnGate = defineVerb(
  { role: 'approver', access: 'write', scope: 'workspace' },
  async (ctx: RemarkContext, { gate_id, text }: { gate_id: string; text: string }): Promise<GateRemarks> => {
    const id = ctx.attempt?.id ?? ctx.ids.next('audit')
    return await remark(ctx, { gate_id, kind: COMMENTED, name: `commented/${id}`, text })
  },
)

async function remark(ctx: RemarkContext, { gate_id, kind, name, text }: Remark): Promise<GateRemarks> {
  const { workspace_id } = ctx
  const { action, most } = kind
  const gate = await ctx.decisions.read(gate_id)
  if (gate === undefined) throw notFound(gate_id)
  const { run_id, step_id: step } = gate
  const { type, id, display } = ctx.actor
  const said = text === undefined ? {} : { text }
  const refused = await ctx.decisions.remark({
    run_id,
    gate_id,
    workspace_id,
    most,
    event: {
      key: `gate/${gate_id}/${name}`,
      type: action,
      step,
      actor: { type, id, display },
      data: { gate_id, ...said },
    },
    audit: {
      ...auditBy(ctx, {
        category: 'approval',
        action,
        workspace_id,
        subject: { type: 'gate', id: gate_id },
        data: { step, ...said },
      }),
      run_id,
    },
  })
  if (refused === 'not_found') throw notFound(gate_id)
  if (refused === 'gate_resolved') throw new DomainError(refused, 'the gate has been answered', { run_id, gate_id })
  if (refused === 'full')
    throw new DomainError('conflict', `the limit of ${most} is reached for this gate`, { run_id, gate_id })
  ctx.notifyRun(run_id)
  return { run_id, gate_id, ...toRemarks(await ctx.approvals.remarks(workspace_id, gate_id)) }
}

/** Acknowledgements and comments of a gate, with invisible characters written out. */
export function toRemarks(rows: readonly RemarkRow[]): Pick<GateRemarks, 'acknowledged' | 'comments'> {
  const said = ({ by, name, at }: RemarkRow) => ({ by, name: visible(name), at: isoOfDatabase(at) })
  return {
    acknowledged: rows.filter(({ text }) => text === null).map(said),
    comments: rows.flatMap((row) => (row.text === null ? [] : [{ ...said(row), text: visible(row.text) }])),
  }
}

function notFound(gate_id: string): DomainError {
  return new DomainError('not_found', `no gate ${gate_id}`)
}
