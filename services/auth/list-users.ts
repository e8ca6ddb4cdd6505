import type { User } from '#core/user/schema.ts'
import { type ListPage, type PageRequest, readPage } from '../list-page.ts'
import type { IdentityContext } from './identity.ts'
import { circleOf } from './known-people.ts'
import { userRecordsFor } from './user-record.ts'

/** Users of the caller's workspaces, newest first, a page at a time. */
export async function listUsers(
  ctx: Pick<IdentityContext, 'actor' | 'users'>,
  input: PageRequest,
): Promise<ListPage<User>> {
  const circle = circleOf(ctx.actor)
  const page = await readPage(input, {
    prefix: 'usr',
    rows: (place) => ctx.users.list(circle, place),
    count: (up_to) => ctx.users.count(circle, up_to),
    toItem: (row) => row,
  })
  return { ...page, items: await userRecordsFor(ctx, page.items) }
}
