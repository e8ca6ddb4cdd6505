import { DomainError } from '#core/errors.ts'
import type { User } from '#core/user/schema.ts'
import { changeAnswering, couldAnswer, unknownAccount } from './answering-accounts.ts'
import { type IdentityContext, mustBeKnown } from './identity.ts'

/** As many accounts as may answer for one person. */
const MOST = 20

/** The caller lets a service account answer gates for them. Throws `not_found` for whatever could not. */
export async function addAnsweringAccount(ctx: IdentityContext, id: string): Promise<User> {
  mustBeKnown(await ctx.users.find(ctx.actor.id))
  if (ctx.actor.type !== 'user')
    throw new DomainError('forbidden', 'A service account answers for people, and nobody for it.')
  if (!(await couldAnswer(ctx, id))) throw unknownAccount()
  return await changeAnswering(ctx, 'user.answering_account_added', id, (named) => {
    if (named.length >= MOST && !named.includes(id))
      throw new DomainError('conflict', `At most ${MOST} service accounts may answer for you: remove one first.`)
    return [...new Set([...named, id])]
  })
}
