import { DomainError, isOutage } from '#core/errors.ts'
import { deliveryIdOf, type InboxStatus, type REPLAY_OUTCOMES, type ReplayMode } from '#core/inbox/item.ts'
import type { JsonObject } from '#core/json/json.ts'
import type { InboxRow } from '#store/alerts/inbox.ts'
import { auditBy } from '../audit/read-audit.ts'
import { defineVerb } from '../define-verb.ts'
import { fromInboxRow } from './delivery-body.ts'
import { type Delivery, findInboxRoute, type InboxContext } from './inbox-route.ts'

export interface ReplayRequest {
  ids?: string[]
  since?: string
  until?: string
  statuses?: InboxStatus[]
  mode: ReplayMode
}

export interface ReplayOutcome {
  id: string
  outcome: (typeof REPLAY_OUTCOMES)[number]
  run_id?: string
  error?: { code: string; message: string }
  /** what would happen to each part of the delivery now */
  would?: JsonObject[]
}

/** A request that names more is to be cut into several. */
const MAX = 500

/**
 * Processes deliveries again, in the order of receipt and in the name of the caller; `simulate` changes nothing. Throws `validation_failed`
 * when no filter is given, or too many deliveries match.
 */
export const replayInbox = defineVerb(
  { role: 'operator', access: 'write', scope: 'workspace' },
  async (ctx: InboxContext, request: ReplayRequest): Promise<ReplayOutcome[]> => {
    const rows = await select(ctx, request)
    if (request.mode !== 'simulate' && ctx.attempt?.done === undefined) await record(ctx, request, rows)
    const outcomes: ReplayOutcome[] = []
    for (const row of rows) outcomes.push(await replayOne(ctx, row, request.mode))
    const found = new Set(rows.map((row) => row.id))
    const unknown = [...new Set(request.ids)].filter((id) => !found.has(id))
    return [...outcomes, ...unknown.map((id): ReplayOutcome => ({ id, outcome: 'not_found' }))]
  },
)

async function select(ctx: InboxContext, { ids, since, until, statuses }: ReplayRequest): Promise<InboxRow[]> {
  if (ids === undefined && since === undefined) {
    throw new DomainError('validation_failed', 'Say which deliveries: `ids`, or `since`.')
  }
  const filter = { workspace_id: ctx.workspace_id, ids, since, until, statuses }
  const rows = await ctx.inbox.items.select(filter, MAX + 1)
  if (rows.length > MAX) {
    throw new DomainError(
      'validation_failed',
      `These are more than ${MAX} deliveries: narrow the time, or name a status.`,
    )
  }
  return rows
}

async function replayOne(ctx: InboxContext, row: InboxRow, mode: ReplayMode): Promise<ReplayOutcome> {
  const run = row.run_id === null ? {} : { run_id: row.run_id }
  const route = findInboxRoute(ctx.inbox, row.route)
  if (mode !== 'simulate' && row.status === 'received') return { id: row.id, outcome: 'received' }
  if (mode === 'if_no_run' && row.run_id !== null) return { id: row.id, outcome: 'skipped', ...run }
  try {
    if (route === undefined) throw new DomainError('not_found', `nothing takes deliveries of ${row.route}`)
    const delivery = {
      ...(await fromInboxRow(ctx.inbox, row, true)),
      // two who ask for the one run that is missing start the same one
      ...(mode === 'if_no_run' ? { again: true, replay: false } : repeatable(ctx, row)),
    }
    if (mode === 'simulate') {
      return { id: row.id, outcome: 'simulated', ...run, would: (await route.preview?.(ctx, delivery)) ?? [] }
    }
    const { end } = await route.process(
      {
        ...ctx,
        replay_of: row.id,
        forced: mode === 'force',
        replayed_from: [{ id: row.actor.id, did: 'sent_delivery', what: row.id }],
      },
      delivery,
    )
    await ctx.inbox.items.noteReplay(row.id, end)
    const { status, ...what } = end
    return { id: row.id, outcome: status, ...what }
  } catch (thrown) {
    const { code, message } = ctx.inbox.toDomainError(thrown)
    // these stop the replay rather than one of its items
    if (isOutage(code) || code === 'internal') throw thrown
    const error = { code, message }
    if (mode !== 'simulate') await ctx.inbox.items.noteReplay(row.id, { status: 'failed', error })
    return { id: row.id, outcome: 'failed', error }
  }
}

/** A repeatable replay has an id of its own, which leads to what an earlier attempt has done. */
function repeatable({ attempt, sha256 }: InboxContext, { id }: InboxRow): Partial<Delivery> {
  if (attempt === undefined) return {}
  return { id: deliveryIdOf(sha256(`${attempt.id} ${id}`)), again: attempt.again, replay: false }
}

/** Recorded first, so that an interrupted replay is on record too. */
async function record(
  ctx: InboxContext,
  { mode, since, until, statuses }: ReplayRequest,
  rows: InboxRow[],
): Promise<void> {
  await ctx.runs.appendAudit([
    auditBy(ctx, {
      category: 'trigger',
      action: 'inbox.replayed',
      workspace_id: ctx.workspace_id,
      subject: { type: 'workspace', id: ctx.workspace_id },
      data: {
        mode,
        deliveries: rows.map((row) => row.id),
        ...(since !== undefined && { since }),
        ...(until !== undefined && { until }),
        ...(statuses !== undefined && { status: statuses }),
      },
    }),
  ])
}
