import type { AnsweringAccount } from '#core/user/schema.ts'
import { visible } from '#core/visible-text.ts'
import { couldAnswer, whoNames } from './answering-accounts.ts'
import type { IdentityContext } from './identity.ts'
import { circleOf, knows } from './known-people.ts'
import { ON_BEHALF } from './may.ts'

const MOST = 500

/** The service accounts that could answer for the caller, by name, and after them those named that no longer could. */
export async function listAnsweringAccounts(ctx: IdentityContext): Promise<AnsweringAccount[]> {
  const { actor, users } = ctx
  const { answering_accounts: named } = await whoNames(ctx)
  const circle = circleOf(actor)
  const able = (await users.serviceAccounts(circle, ON_BEHALF, MOST)).filter((row) => couldAnswer(actor, row))
  const others = await users.many(named.filter((id) => !able.some((row) => row.id === id)))
  return [...able, ...others].map((row) => {
    const { id, email, display_name } = row
    const isNamed = named.includes(id)
    return {
      id,
      // one that has left the caller's workspaces keeps only the id that they named it by
      ...(knows(circle, row) ? { display: visible(display_name ?? email), email } : { display: id }),
      named: isNamed,
      answers: isNamed && able.includes(row),
    }
  })
}
