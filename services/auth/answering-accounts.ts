import { DomainError } from '#core/errors.ts'
import type { User } from '#core/user/schema.ts'
import { auditOf, type IdentityContext, mustBeKnown } from './identity.ts'
import { ON_BEHALF } from './may.ts'
import { workspacesOf } from './user-actor.ts'
import { toUserRecord } from './user-record.ts'

/** As many accounts as may answer for one person. */
const MOST = 20

/** The caller lets a service account answer gates for them. Throws `not_found` for whatever could not. */
export async function addAnsweringAccount(ctx: IdentityContext, id: string): Promise<User> {
  mustBeKnown(await ctx.users.find(ctx.actor.id))
  if (ctx.actor.type !== 'user')
    throw new DomainError('forbidden', 'A service account answers for people, and nobody for it.')
  if (!(await mayAnswer(ctx, id))) throw unknown()
  return await change(ctx, 'user.answering_account_added', id, (named) => {
    if (named.length >= MOST && !named.includes(id))
      throw new DomainError('conflict', `At most ${MOST} service accounts may answer for you: remove one first.`)
    return [...new Set([...named, id])]
  })
}

/** It answers for the caller no longer, and what it answered counts no longer at gates that are open. */
export async function removeAnsweringAccount(ctx: IdentityContext, id: string): Promise<User> {
  const own = mustBeKnown(await ctx.users.find(ctx.actor.id))
  // one that has lost its scope, or is gone from here, can be removed all the same
  if (!own.answering_accounts.includes(id)) {
    if (await mayAnswer(ctx, id)) return toUserRecord(own)
    throw unknown()
  }
  return await change(ctx, 'user.answering_account_removed', id, (named) => named.filter((each) => each !== id))
}

async function change(
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

async function mayAnswer({ actor, users }: IdentityContext, id: string): Promise<boolean> {
  const account = await users.find(id)
  return (
    account?.account_id === actor.account_id &&
    account.status === 'active' &&
    account.roles.includes('service') &&
    account.scopes.includes(ON_BEHALF) &&
    meets(actor.workspaces, workspacesOf(account))
  )
}

function unknown(): DomainError {
  return new DomainError(
    'not_found',
    `there is no service account of that id with the scope ${ON_BEHALF} in your workspaces`,
  )
}
