import type { Actor } from '#core/actor.ts'
import { DomainError } from '#core/errors.ts'
import type { User } from '#core/user/schema.ts'
import type { UserRow } from '#store/users.ts'
import { auditsOf, type IdentityContext, logsOf, mustBeKnown, workspacesIn } from './identity.ts'
import { ON_BEHALF } from './may.ts'
import { workspacesOf } from './user-actor.ts'
import { toUserRecord } from './user-record.ts'

/** Changes what the caller has named, with its record in each of their workspaces; only those of the account name it. */
export async function changeAnswering(
  ctx: IdentityContext,
  { action, account }: { action: string; account: string },
  next: (named: string[]) => string[],
): Promise<User> {
  const user_id = ctx.actor.id
  const found = await ctx.users.find(account)
  const isOf = (log: string) => workspacesIn(log, found?.workspaces ?? []).length > 0
  const row = await ctx.users.change(user_id, (own) => ({
    patch: { answering_accounts: next(own.answering_accounts) },
    audit: auditsOf(ctx, {
      ...{ category: 'admin', action, user_id },
      logs: logsOf(own),
      data: (log) => (isOf(log) ? { account } : {}),
    }),
  }))
  return toUserRecord(mustBeKnown(row))
}

function meets(own: '*' | string[], other: '*' | string[]): boolean {
  return own === '*' || other === '*' || own.some((id) => other.includes(id))
}

/** The caller's own row: a person who names accounts, or takes a name back. */
export async function whoNames({ actor, users }: IdentityContext): Promise<UserRow> {
  const own = mustBeKnown(await users.find(actor.id))
  if (actor.type !== 'user') throw new DomainError('forbidden', 'Only people can name accounts that answer for them.')
  return own
}

/** Whether it is a service account that could answer for the actor. */
export function couldAnswer(actor: Pick<Actor, 'account_id' | 'workspaces'>, account: UserRow | undefined): boolean {
  return (
    account?.account_id === actor.account_id &&
    account.status === 'active' &&
    account.roles.includes('service') &&
    account.scopes.includes(ON_BEHALF) &&
    meets(actor.workspaces, workspacesOf(account))
  )
}

export function unknownAccount(): DomainError {
  return new DomainError(
    'not_found',
    `there is no service account of that id with the scope ${ON_BEHALF} in your workspaces`,
  )
}
