import { removedEnvironment } from '#core/environment/defaults.ts'
import { frozenForApproval } from '#core/freeze/active-freeze.ts'
import { barredFrom } from '#core/gate/contributors.ts'
import { needsConfirmation } from '#core/gate/needs-confirmation.ts'
import { missing } from '#core/gate/requirement.ts'
import { countApprovals, type Vote } from '#core/gate/tally.ts'
import type { WaitingGate } from '#core/run/waiting-gate-schema.ts'
import { visible, visibleLine } from '#core/text/visible-text.ts'
import type { ApprovalViews, GateFilter, GateInQueue, QueuedGateView } from '#store/gates/approval-views.ts'
import type { HaltStore } from '#store/halts.ts'
import { seesAddresses } from '../auth/may.ts'
import type { ServiceContext } from '../context.ts'
import { type ListPage, type ListPosition, type PageRequest, readPage } from '../list-page.ts'
import { withCurrentVotes } from './current-votes.ts'
import { findVoter, takenFrom } from './gate-decision.ts'
import { gateRequester, peopleOf, retryOf } from './gate-people.ts'
import { toRemarks } from './remark-on-gate.ts'
import type { WhoAsks } from './who-decides.ts'

export type GatesAsked = PageRequest & GateFilter & { awaiting_me?: boolean | undefined }
type Context = WhoAsks &
  Pick<ServiceContext, 'environments' | 'clock'> & {
    approvals: ApprovalViews
    halts: Pick<HaltStore, 'reasonsOverGates'>
  }
type Row = GateInQueue & { votes: Vote[] } & Pick<WaitingGate, 'you_may'>

/** Gates read at once: the missing voters of each are computed here. */
const MAX_GATES = 1_000

/** Lists the open gates of the workspace, those of critical and of high alerts first, then by expiry, a page at a time. */
export async function listGates(
  ctx: Context,
  { limit, cursor, awaiting_me = false, ...filter }: GatesAsked,
): Promise<ListPage<WaitingGate>> {
  const { workspace_id, approvals } = ctx
  const voter = await findVoter(ctx)
  const readPageOfGates = async (page: { limit: number; after?: ListPosition | undefined }): Promise<Row[]> => {
    const found = await withCurrentVotes(ctx, workspace_id, await approvals.queue(workspace_id, filter, page))
    return found.map((gate) => ({ ...gate, you_may: voter === undefined ? [] : takenFrom(voter, gate) }))
  }
  const readMine = async (after?: ListPosition) => {
    const seen = await readPageOfGates({ limit: MAX_GATES, after })
    const mine = seen.filter(({ you_may }) => you_may.includes('approve'))
    return { mine, resume: seen.length === MAX_GATES ? seen.at(-1) : undefined }
  }
  const first = awaiting_me ? readMine() : undefined
  const { items, ...page } = await readPage<Row, Row>(
    { limit, cursor },
    {
      prefix: 'gate',
      toItem: (row) => row,
      async rows(asked) {
        if (first === undefined) return await readPageOfGates(asked)
        const { mine, resume } = await (asked.after === undefined ? first : readMine(asked.after))
        return { rows: mine.slice(0, asked.limit), resume }
      },
      async count(up_to) {
        if (first === undefined) return await approvals.countQueue(workspace_id, filter, up_to)
        const { mine, resume } = await first
        return { count: mine.length, capped: resume !== undefined }
      },
    },
  )
  return { ...page, items: await toWaitingGates(ctx, items) }
}

/** In the order of the rows; gates that were answered meanwhile are left out. */
async function toWaitingGates(ctx: Context, rows: Row[]): Promise<WaitingGate[]> {
  const ids = rows.map(({ id }) => id)
  const [queued, halted] = await Promise.all([
    ctx.approvals.queued(ctx.workspace_id, ids),
    ctx.halts.reasonsOverGates(ids),
  ])
  const views = new Map(queued.map((view) => [view.gate_id, view] as const))
  const withEmail = seesAddresses(ctx.actor)
  return rows.flatMap((row) => {
    const view = views.get(row.id)
    if (view === undefined) return []
    const reason = halted.get(row.id)
    return [{ ...toWaitingGate(ctx, row, view, withEmail), ...(reason !== undefined && { halted: visible(reason) }) }]
  })
}

function toWaitingGate(ctx: Context, row: Row, view: QueuedGateView, withEmail: boolean): WaitingGate {
  const { shown, provenance, people, reason, trigger, alert, remarks, commented, ...gate } = view
  const [newest_comment] = toRemarks(commented === null ? [] : [commented.newest]).comments
  const { targets, command, ...operation } = shown
  const requesters = barredFrom(row.required, provenance)
  const frozen = freezeOver(ctx, row)
  return {
    ...gate,
    ...operation,
    needs_confirmation: needsConfirmation({ ...gate, ...operation }),
    ...(targets === null ? {} : { targets }),
    ...(command === null ? {} : { command }),
    ...gateRequester(view, peopleOf({ provenance, people }, withEmail)),
    ...retryOf(view),
    ...(row.required.require_note !== undefined && { require_note: row.required.require_note }),
    missing: missing(row.required, row.votes, requesters),
    approvals: countApprovals(row.required, row.votes, requesters),
    acknowledged: toRemarks(remarks).acknowledged,
    comment_count: commented?.count ?? 0,
    ...(newest_comment !== undefined && { newest_comment }),
    ...(trigger !== null && { trigger }),
    ...(reason === null ? {} : { reason: visible(reason) }),
    ...(alert === null
      ? {}
      : { alert: { ...alert, title: visibleLine(alert.title), service: visibleLine(alert.service) } }),
    ...(frozen !== undefined && { frozen }),
    you_may: frozen === undefined ? row.you_may : row.you_may.filter((decision) => decision !== 'approve'),
  }
}

/** The check of `decideGate`. */
function freezeOver({ environments, clock }: Context, { environment, action_type }: Row): WaitingGate['frozen'] {
  const settings = environments.get(environment) ?? removedEnvironment(environment)
  const freeze = frozenForApproval(settings, clock(), action_type ?? undefined)
  return freeze === undefined ? undefined : { name: freeze.name, until: freeze.until }
}
