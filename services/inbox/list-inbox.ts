import type { InboxStatus } from '#core/inbox/item.ts'
import { type ListPage, type PageRequest, readPage } from '../list-page.ts'
import { type InboxItem, toInboxItem, withBody } from './inbox-item.ts'
import type { InboxContext } from './inbox-route.ts'

export interface InboxQuery extends PageRequest {
  statuses?: InboxStatus[] | undefined
  route?: string | undefined
  source?: string | undefined
  since?: string | undefined
  until?: string | undefined
  bodies: boolean
}

/** Deliveries of the workspace, newest first, a page at a time. */
export async function listInbox(
  ctx: Pick<InboxContext, 'workspace_id' | 'inbox'>,
  { bodies, limit, cursor, ...wanted }: InboxQuery,
): Promise<ListPage<InboxItem>> {
  const { items } = ctx.inbox
  const filter = { ...wanted, workspace_id: ctx.workspace_id }
  const page = await readPage(
    { limit, cursor },
    {
      prefix: 'dlv',
      rows: (place) => items.list(filter, place),
      count: (up_to) => items.count(filter, up_to),
      toItem: (row) => (bodies ? withBody(ctx.inbox, row) : Promise.resolve(toInboxItem(row))),
    },
  )
  return { ...page, items: await Promise.all(page.items) }
}
