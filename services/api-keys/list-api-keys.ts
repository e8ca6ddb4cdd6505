import type { ApiKey } from '#core/api-key/schema.ts'
import type { IdentityContext } from '../auth/identity.ts'
import { type ListPage, type PageRequest, readPage } from '../list-page.ts'
import { toApiKeyRecord } from './api-key-record.ts'

/** Keys of the caller's account, also those that have ended, newest first, a page at a time. */
export function listApiKeys(
  ctx: Pick<IdentityContext, 'actor' | 'keys'>,
  input: PageRequest,
): Promise<ListPage<ApiKey>> {
  const { account_id } = ctx.actor
  return readPage(input, {
    prefix: 'key',
    rows: (page) => ctx.keys.list(account_id, page),
    count: (up_to) => ctx.keys.count(account_id, up_to),
    toItem: toApiKeyRecord,
  })
}
