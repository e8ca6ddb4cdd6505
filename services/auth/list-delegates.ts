import type { Delegate } from '#core/user/schema.ts'
import { visible } from '#core/visible-text.ts'
import type { IdentityContext } from './identity.ts'
import { circleOf } from './known-people.ts'

const MOST = 500

/** Who could answer gates for the caller: people of their workspaces who can sign in, by name. */
export async function listDelegates({ actor, users }: Pick<IdentityContext, 'actor' | 'users'>): Promise<Delegate[]> {
  const found = await users.colleagues(circleOf(actor), MOST)
  return found
    .filter(({ id }) => id !== actor.id)
    .map(({ id, email, display_name }) => ({ id, email, display: visible(display_name ?? email) }))
}
