import type { User } from '#core/user/schema.ts'
import { changeAnswering, couldAnswer, unknownAccount } from './answering-accounts.ts'
import { type IdentityContext, mustBeKnown } from './identity.ts'
import { toUserRecord } from './user-record.ts'

/** It answers for the caller no longer, and what it answered counts no longer at gates that are open. */
export async function removeAnsweringAccount(ctx: IdentityContext, id: string): Promise<User> {
  const own = mustBeKnown(await ctx.users.find(ctx.actor.id))
  // one that has lost its scope, or is gone from here, can be removed all the same
  if (!own.answering_accounts.includes(id)) {
    if (couldAnswer(ctx.actor, await ctx.users.find(id))) return toUserRecord(own)
    throw unknownAccount()
  }
  return await changeAnswering(ctx, { action: 'user.answering_account_removed', account: id }, (named) =>
    named.filter((each) => each !== id),
  )
}
