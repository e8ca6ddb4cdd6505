import { DomainError } from '#core/errors.ts'
import type { User } from '#core/user/schema.ts'
import { defineVerb } from '../define-verb.ts'
import { changeAnswering, couldAnswer, unknownAccount, whoNames } from './answering-accounts.ts'
import type { IdentityContext } from './identity.ts'

/** As many accounts as may answer for one person. */
const MOST_ACCOUNTS = 20

/** The caller lets a service account answer gates for them. Throws `not_found` for whatever could not. */
export const addAnsweringAccount = defineVerb(
  { role: 'approver', access: 'write', scope: 'account' },
  async (ctx: IdentityContext, id: string): Promise<User> => {
    await whoNames(ctx)
    if (!couldAnswer(ctx.actor, await ctx.users.find(id))) throw unknownAccount()
    return await changeAnswering(ctx, { action: 'user.answering_account_added', account: id }, (named) => {
      if (named.length >= MOST_ACCOUNTS && !named.includes(id))
        throw new DomainError(
          'conflict',
          `At most ${MOST_ACCOUNTS} service accounts may answer for you: remove one first.`,
        )
      return [...new Set([...named, id])]
    })
  },
)
