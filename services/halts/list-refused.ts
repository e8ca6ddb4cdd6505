import { DomainError } from '#core/errors.ts'
import type { RefusedStart } from '#core/halt/refused-schema.ts'
import type { HaltRefusalRow } from '#store/halt-refusals.ts'
import type { HaltPorts } from '../context.ts'
import { type ListPage, type PageRequest, readPage } from '../list-page.ts'
import { type SeenHaltsContext, seenHalts } from './halts.ts'

type RefusedContext = SeenHaltsContext & Pick<HaltPorts, 'halt_refusals'>

/** Lists the starts that a halt has refused in the caller's workspaces, newest first, also after its lift. Throws `not_found`. */
export async function listRefusedStarts(
  ctx: RefusedContext,
  { id, ...page }: PageRequest & { id: string },
): Promise<ListPage<RefusedStart>> {
  const { workspaces } = ctx.actor
  if (!(await isVisible(ctx, id))) throw new DomainError('not_found', 'there is no such halt')
  return await readPage(page, {
    prefix: 'hrf',
    rows: (place) => ctx.halt_refusals.list(id, workspaces, place),
    count: (up_to) => ctx.halt_refusals.count(id, workspaces, up_to),
    toItem: toRefusedStart,
  })
}

/** A halt of all workspaces is visible to those in whose workspaces it stops something, or has refused a start. */
async function isVisible(ctx: RefusedContext, id: string): Promise<boolean> {
  const { workspaces } = ctx.actor
  const workspace = await ctx.halt_refusals.workspaceOf(id)
  if (workspace === undefined || workspaces === '*') return workspace !== undefined
  if (workspace !== null) return workspaces.includes(workspace)
  return (await ctx.halt_refusals.count(id, workspaces, 1)) > 0 || (await seenHalts(ctx)).some((each) => each.id === id)
}

function toRefusedStart(row: HaltRefusalRow): RefusedStart {
  const { trigger_type: trigger, pack, template, run_id, delivery_id, is_kept } = row
  // a delivery may hold other alerts, which have started runs
  const isReplayed = trigger !== 'alert' && is_kept && delivery_id !== null
  const start = isReplayed ? replayOf(delivery_id) : row.request
  const { id, workspace_id, title, environment, requested_by, refused, first_at, last_at } = row
  return {
    id,
    workspace_id,
    trigger,
    title,
    template: `${pack}/${template}`,
    environment,
    requested_by,
    refused,
    first_at,
    last_at,
    ...(start !== null && { start }),
    ...(run_id !== null && { run_id }),
  }
}

function replayOf(delivery_id: string): RefusedStart['start'] {
  const body = { ids: [delivery_id], mode: 'if_no_run' }
  return { operation: 'replayInbox', method: 'POST', path: '/triggers/inbox/replay', body }
}
