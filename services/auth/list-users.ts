import { DomainError } from '#core/errors.ts'
import type { User } from '#core/user/schema.ts'
import type { IdentityContext } from './identity.ts'
import { toUserRecord } from './user-record.ts'

export interface UserList {
  users: User[]
  total: number
  /** opaque place of the next page; absent on the last one */
  next_cursor?: string
}

/** Users of the caller's account, newest first, a page at a time. */
export async function listUsers(
  ctx: Pick<IdentityContext, 'actor' | 'users'>,
  input: { limit: number; cursor?: string | undefined },
): Promise<UserList> {
  const { account_id } = ctx.actor
  const after = input.cursor === undefined ? undefined : parseCursor(input.cursor)
  const [rows, total] = await Promise.all([
    ctx.users.list(account_id, { limit: input.limit + 1, after }),
    ctx.users.count(account_id),
  ])
  const page = rows.slice(0, input.limit)
  const last = page.at(-1)
  const more = rows.length > input.limit && last !== undefined
  return { users: page.map(toUserRecord), total, ...(more ? { next_cursor: toCursor(last) } : {}) }
}

function toCursor(last: { position: string; id: string }): string {
  return Buffer.from(`${last.position}|${last.id}`).toString('base64url')
}

function parseCursor(cursor: string): { position: string; id: string } {
  const [position = '', id = ''] = Buffer.from(cursor, 'base64url').toString().split('|')
  const sound =
    /^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}(\.\d{1,6})?[+-]\d{2}(:\d{2})?$/.test(position) &&
    /^usr_[0-9a-z]{26}$/.test(id)
  if (!sound || Number.isNaN(Date.parse(position.replace(/([+-]\d{2})$/, '$1:00')))) {
    throw new DomainError('invalid_cursor', 'The cursor is not one that this list has given out.')
  }
  return { position, id }
}
