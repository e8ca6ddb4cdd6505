import type { Actor } from '#core/actor.ts'
import { DomainError } from '#core/errors.ts'
import type { User } from '#core/user/schema.ts'
import type { UserRow } from '#store/users.ts'
import { auditOf, type IdentityContext, mustBeKnown } from './identity.ts'
import { ON_BEHALF } from './may.ts'
import { workspacesOf } from './user-actor.ts'
import { toUserRecord } from './user-record.ts'

/** Changes what the caller has named, with its record. */
export async function changeAnswering(
  ctx: IdentityContext,
  action: string,
  account: string,
  next: (named: string[]) => string[],
): Promise<User> {
  const user_id = ctx.actor.id
  const row = await ctx.users.change(user_id, ({ answering_accounts }) => ({
    patch: { answering_accounts: next(answering_accounts) },
    audit: auditOf(ctx, { category: 'admin', action, user_id, data: { account } }),
  }))
  return toUserRecord(mustBeKnown(row))
}

function meets(own: '*' | string[], other: '*' | string[]): boolean {
  return own === '*' || other === '*' || own.some((id) => other.includes(id))
}

/** The caller's own row: a person who names accounts, or takes a name back. */
export async function whoNames({ actor, users }: IdentityContext): Promise<UserRow> {
  const own = mustBeKnown(await users.find(actor.id))
  if (actor.type !== 'user')
    throw new DomainError('forbidden', 'A service account answers for people, and nobody for it.')
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
