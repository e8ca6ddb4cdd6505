import type { ApiKey } from '#core/api-key/schema.ts'
import type { IdentityContext } from '../auth/identity.ts'
import { circleOf } from '../auth/known-people.ts'
import { type ListPage, type PageRequest, readPage } from '../list-page.ts'
import { apiKeyRecordsFor } from './api-key-record.ts'

/** Keys that may be used in the caller's workspaces, also those that have ended, newest first, a page at a time. */
export async function listApiKeys(
  ctx: Pick<IdentityContext, 'actor' | 'keys' | 'users'>,
  input: PageRequest,
): Promise<ListPage<ApiKey>> {
  const circle = circleOf(ctx.actor)
  const page = await readPage(input, {
    prefix: 'key',
    rows: (place) => ctx.keys.list(circle, place),
    count: (up_to) => ctx.keys.count(circle, up_to),
    toItem: (row) => row,
  })
  return { ...page, items: await apiKeyRecordsFor(ctx, page.items) }
}
