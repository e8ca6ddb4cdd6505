import { DomainError } from '#core/errors.ts'
import type { NoticeDelivery } from '#core/notify/channel-schema.ts'
import type { EventFeed } from '#store/event-feed.ts'
import type { DeliveryFilter, DeliveryRow, DeliveryViews } from '#store/notices/delivery-views.ts'
import { type ListPage, type PageRequest, readPage } from '../list-page.ts'

export type DeliveryQuery = PageRequest & Omit<DeliveryFilter, 'workspace_id'>

/** Lists the outcomes of the workspace's notices, newest first, a page at a time. */
export function listDeliveries(
  { workspace_id, deliveries }: { workspace_id: string; deliveries: DeliveryViews },
  { limit, cursor, ...wanted }: DeliveryQuery,
): Promise<ListPage<NoticeDelivery>> {
  const filter = { ...wanted, workspace_id }
  return readPage(
    { limit, cursor },
    {
      prefix: 'ntf',
      rows: (place) => deliveries.list(filter, place),
      count: (up_to) => deliveries.count(filter, up_to),
      toItem: toRecord,
    },
  )
}

function toRecord(row: DeliveryRow): NoticeDelivery {
  const { id, run_id, reason, gate_id, kind, channel, recipient, state, attempts, detail, delivered_at, next_at } = row
  return {
    id,
    ...(run_id === null ? {} : { run_id }),
    ...(reason === null ? {} : { reason }),
    ...(gate_id === null ? {} : { gate_id }),
    ...(row.halt_id === null ? {} : { halt_id: row.halt_id }),
    ...(row.connection_id === null ? {} : { connection_id: row.connection_id }),
    ...(row.digest_id === null ? {} : { digest_id: row.digest_id }),
    kind,
    channel,
    recipient,
    state,
    attempts,
    ...(detail === null ? {} : { last_error: detail }),
    planned_at: row.planned_at,
    ...(attempts === 0 ? {} : { last_attempt_at: row.updated_at }),
    ...(delivered_at === null ? {} : { delivered_at }),
    ...(next_at === null || state !== 'retrying' ? {} : { next_attempt_at: next_at }),
  }
}

/** Lists the outcomes of one run's notices, newest first, a page at a time. */
export async function listRunDeliveries(
  ctx: Parameters<typeof listDeliveries>[0] & { feed: Pick<EventFeed, 'head'> },
  { run_id, ...page }: PageRequest & { run_id: string },
): Promise<ListPage<NoticeDelivery>> {
  const found = await listDeliveries(ctx, { ...page, run_id })
  if (found.total.count === 0 && !(await ctx.feed.head(ctx.workspace_id, run_id)))
    throw new DomainError('not_found', `no run ${run_id}`)
  return found
}
