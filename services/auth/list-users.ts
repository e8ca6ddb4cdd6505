import type { User } from '#core/user/schema.ts'
import { type ListPage, type PageRequest, readPage } from '../list-page.ts'
import type { IdentityContext } from './identity.ts'
import { toUserRecord } from './user-record.ts'

/** Users of the caller's account, newest first, a page at a time. */
export function listUsers(ctx: Pick<IdentityContext, 'actor' | 'users'>, input: PageRequest): Promise<ListPage<User>> {
  const { account_id } = ctx.actor
  return readPage(input, {
    prefix: 'usr',
    rows: (page) => ctx.users.list(account_id, page),
    count: (up_to) => ctx.users.count(account_id, up_to),
    toItem: toUserRecord,
  })
}
