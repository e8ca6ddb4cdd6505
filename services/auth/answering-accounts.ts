import type { Actor } from '#core/actor.ts'
import { DomainError } from '#core/errors.ts'
import { visible } from '#core/text/visible-text.ts'
import type { AnsweringAccount, Delegate, User } from '#core/user/schema.ts'
import type { UserRow } from '#store/users.ts'
import { defineVerb } from '../define-verb.ts'
import { auditsOf, type IdentityContext, logsOf, mustBeKnown, workspacesIn } from './identity.ts'
import { circleOf, knows } from './known-people.ts'
import { ON_BEHALF } from './may.ts'
import { toUserRecord, workspacesOf } from './user-record.ts'

const MAX_DELEGATES = 500

/** Lists the people who could answer gates for the caller: people of their workspaces who can sign in, by name. */
export async function listDelegates({ actor, users }: Pick<IdentityContext, 'actor' | 'users'>): Promise<Delegate[]> {
  const found = await users.colleagues(circleOf(actor), MAX_DELEGATES)
  return found
    .filter(({ id }) => id !== actor.id)
    .map(({ id, email, display_name }) => ({ id, email, display: visible(display_name ?? email) }))
}

/** Changes the caller's list, with a record in each of their workspaces; only those of the account name it. */
async function changeAnswering(
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
      category: 'admin',
      action,
      user_id,
      logs: logsOf(own),
      data: (log) => (isOf(log) ? { account } : {}),
    }),
  }))
  return toUserRecord(mustBeKnown(row))
}

function overlaps(own: '*' | string[], other: '*' | string[]): boolean {
  return own === '*' || other === '*' || own.some((id) => other.includes(id))
}

/** The caller's own row: a person who names accounts, or takes a name back. */
async function whoNames({ actor, users }: IdentityContext): Promise<UserRow> {
  const own = mustBeKnown(await users.find(actor.id))
  if (actor.type !== 'user') throw new DomainError('forbidden', 'Only people can name accounts that answer for them.')
  return own
}

/** Tells whether a service account could answer for the actor. */
function couldAnswer(actor: Pick<Actor, 'account_id' | 'workspaces'>, account: UserRow | undefined): boolean {
  return (
    account?.account_id === actor.account_id &&
    account.status === 'active' &&
    account.roles.includes('service') &&
    account.scopes.includes(ON_BEHALF) &&
    overlaps(actor.workspaces, workspacesOf(account))
  )
}

function unknownAccount(): DomainError {
  return new DomainError(
    'not_found',
    `there is no service account of that id with the scope ${ON_BEHALF} in your workspaces`,
  )
}

const MAX = 500

/** The service accounts that could answer for the caller, by name, and after them those named that no longer could. */
export async function listAnsweringAccounts(ctx: IdentityContext): Promise<AnsweringAccount[]> {
  const { actor, users } = ctx
  const { answering_accounts: named } = await whoNames(ctx)
  const circle = circleOf(actor)
  const able = (await users.serviceAccounts(circle, ON_BEHALF, MAX)).filter((row) => couldAnswer(actor, row))
  const others = await users.many(named.filter((id) => !able.some((row) => row.id === id)))
  return [...able, ...others].map((row) => {
    const { id, email, display_name } = row
    const isNamed = named.includes(id)
    return {
      id,
      // an account that has left the caller's workspaces is shown by id only
      ...(knows(circle, row) ? { display: visible(display_name ?? email), email } : { display: id }),
      named: isNamed,
      answers: isNamed && able.includes(row),
    }
  })
}

/** As many accounts as may answer for one person. */
const MAX_ACCOUNTS = 20

/** Lets a service account answer gates for the caller. Throws `not_found` for one that could not. */
export const addAnsweringAccount = defineVerb(
  { role: 'approver', access: 'write', scope: 'account' },
  async (ctx: IdentityContext, id: string): Promise<User> => {
    await whoNames(ctx)
    if (!couldAnswer(ctx.actor, await ctx.users.find(id))) throw unknownAccount()
    return await changeAnswering(ctx, { action: 'user.answering_account_added', account: id }, (named) => {
      if (named.length >= MAX_ACCOUNTS && !named.includes(id))
        throw new DomainError(
          'conflict',
          `At most ${MAX_ACCOUNTS} service accounts may answer for you: remove one first.`,
        )
      return [...new Set([...named, id])]
    })
  },
)

/** Removes the account from the caller's list: it no longer answers for them, and its answers at open gates no longer count. */
export const removeAnsweringAccount = defineVerb(
  { role: 'approver', access: 'write', scope: 'account' },
  async (ctx: IdentityContext, id: string): Promise<User> => {
    const own = mustBeKnown(await ctx.users.find(ctx.actor.id))
    // an account that lost its scope, or was removed, can be taken off the list all the same
    if (!own.answering_accounts.includes(id)) {
      if (couldAnswer(ctx.actor, await ctx.users.find(id))) return toUserRecord(own)
      throw unknownAccount()
    }
    return await changeAnswering(ctx, { action: 'user.answering_account_removed', account: id }, (named) =>
      named.filter((each) => each !== id),
    )
  },
)
