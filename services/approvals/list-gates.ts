import { removedEnvironment } from '#core/environment-defaults.ts'
import { frozenForApproval } from '#core/freeze/active-freeze.ts'
import { missing } from '#core/gate/missing.ts'
import { requesterIds } from '#core/gate/requester.ts'
import { countApprovals } from '#core/gate/tally.ts'
import type { WaitingGate } from '#core/run/waiting-gate-schema.ts'
import { visible, visibleLine } from '#core/visible-text.ts'
import {
  type ApprovalViews,
  GATES_LOOKED_AT,
  type GateInQueue,
  type GateWish,
  type QueuedGateView,
} from '#store/approval-views.ts'
import { may } from '../auth/may.ts'
import type { ServiceContext } from '../context.ts'
import { type ListPage, type PageRequest, readPage } from '../list-page.ts'
import { gateRequester, peopleOf } from './gate-people.ts'
import { findVoter, takenFrom, type Voter } from './taken-from.ts'
import type { WhoAsks } from './who-decides.ts'

export type GatesAsked = PageRequest & GateWish & { awaiting_me?: boolean | undefined }
type Context = WhoAsks & Pick<ServiceContext, 'environments' | 'clock'> & { approvals: ApprovalViews }
type Row = GateInQueue & Pick<WaitingGate, 'you_may'>

/** What waits for an answer in the workspace, what expires first in front, a page at a time. */
export async function listGates(
  ctx: Context,
  { limit, cursor, awaiting_me, ...wish }: GatesAsked,
): Promise<ListPage<WaitingGate>> {
  const voter = await findVoter(ctx)
  const look = async (after?: { position: string; id: string }) => {
    const seen = await ctx.approvals.queue(ctx.workspace_id, wish, after)
    const rows = seen.map((gate): Row => ({ ...gate, you_may: voter === undefined ? [] : takenFrom(voter, gate) }))
    const found = awaiting_me === true ? rows.filter(({ you_may }) => you_may.includes('approve')) : rows
    return { found, last: seen.length === GATES_LOOKED_AT ? seen.at(-1) : undefined }
  }
  const first = look()
  const page = await readPage<Row, Row>(
    { limit, cursor },
    {
      prefix: 'gate',
      toItem: (row) => row,
      async rows({ limit: rows, after }) {
        const { found, last } = after === undefined ? await first : await look(after)
        return { rows: found.slice(0, rows), resume: last }
      },
      async count() {
        const { found, last } = await first
        return { count: found.length, capped: last !== undefined }
      },
    },
  )
  return { ...page, items: await toWaitingGates(ctx, page.items, voter) }
}

/** In the order of the rows; what was answered meanwhile is left out. */
async function toWaitingGates(ctx: Context, rows: Row[], voter: Voter | undefined): Promise<WaitingGate[]> {
  const ids = rows.map(({ id }) => id)
  const views = new Map(
    (await ctx.approvals.queued(ctx.workspace_id, ids)).map((view) => [view.gate_id, view] as const),
  )
  const withEmail = voter !== undefined && may(ctx.actor, 'approver')
  return rows.flatMap((row) => {
    const view = views.get(row.id)
    return view === undefined ? [] : [toWaitingGate(ctx, row, view, withEmail)]
  })
}

function toWaitingGate(ctx: Context, row: Row, view: QueuedGateView, withEmail: boolean): WaitingGate {
  const { shown, provenance, people, reason, alert, ...gate } = view
  const { targets, ...operation } = shown
  const requesters = requesterIds(provenance)
  const frozen = freezeOver(ctx, row)
  return {
    ...gate,
    ...operation,
    ...(targets === null ? {} : { targets }),
    ...gateRequester(view, peopleOf({ provenance, people }, withEmail)),
    ...(row.required.require_note === undefined ? {} : { require_note: row.required.require_note }),
    missing: missing(row.required, row.votes, requesters),
    approvals: countApprovals(row.required, row.votes, requesters),
    ...(reason === null ? {} : { reason: visible(reason) }),
    ...(alert === null
      ? {}
      : { alert: { ...alert, title: visibleLine(alert.title), service: visibleLine(alert.service) } }),
    ...(frozen === undefined ? {} : { frozen }),
    you_may: frozen === undefined ? row.you_may : row.you_may.filter((decision) => decision !== 'approve'),
  }
}

/** As `decideGate` asks it. */
function freezeOver({ environments, clock }: Context, { environment, action_type }: Row): WaitingGate['frozen'] {
  const settings = environments.get(environment) ?? removedEnvironment(environment)
  const freeze = frozenForApproval(settings, clock(), action_type ?? undefined)
  return freeze === undefined ? undefined : { name: freeze.name, until: freeze.until }
}
