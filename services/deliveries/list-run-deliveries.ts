import { DomainError } from '#core/errors.ts'
import type { NoticeDelivery } from '#core/notify/delivery-schema.ts'
import type { EventFeed } from '#store/event-feed.ts'
import type { ListPage, PageRequest } from '../list-page.ts'
import { listDeliveries } from './list-deliveries.ts'

/** What became of the notices of one run, newest first, a page at a time. */
export async function listRunDeliveries(
  ctx: Parameters<typeof listDeliveries>[0] & { feed: Pick<EventFeed, 'head'> },
  { run_id, ...page }: PageRequest & { run_id: string },
): Promise<ListPage<NoticeDelivery>> {
  const found = await listDeliveries(ctx, { ...page, run_id })
  if (found.total.count === 0 && !(await ctx.feed.head(ctx.workspace_id, run_id)))
    throw new DomainError('not_found', `no run ${run_id}`)
  return found
}
