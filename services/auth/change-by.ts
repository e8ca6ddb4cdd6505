import type { ChangeBy } from '#store/users.ts'
import { peopleBehind } from './create-people.ts'
import type { IdentityContext } from './identity.ts'

/** A change of what somebody may do, by the caller and everyone behind the account that the caller is. */
export async function changeBy(
  { actor, users }: Pick<IdentityContext, 'actor' | 'users'>,
  what: ChangeBy['what'],
): Promise<ChangeBy> {
  const others = actor.type === 'service' ? await peopleBehind(users, actor) : []
  return { what, by: [...new Set([actor.id, ...others])] }
}
