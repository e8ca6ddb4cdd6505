import type { Actor } from '#core/actor.ts'
import type { User } from '#core/user/schema.ts'
import { LOCAL_ACTOR } from './authenticator.ts'
import { type Identity, mustBeKnown } from './identity.ts'
import { toUserRecord } from './user-record.ts'

/** The caller as a user; with authentication off, the one local owner. */
export async function getMe(ctx: Pick<Identity, 'users'> & { actor: Actor }): Promise<User> {
  if (ctx.actor.id === LOCAL_ACTOR.id) return LOCAL_USER
  return toUserRecord(mustBeKnown(await ctx.users.find(ctx.actor.id)))
}

const LOCAL_USER: User = {
  id: LOCAL_ACTOR.id,
  account_id: LOCAL_ACTOR.account_id,
  display_name: LOCAL_ACTOR.display,
  roles: LOCAL_ACTOR.roles,
  approval_roles: [],
  scopes: [],
  workspaces: ['*'],
  status: 'active',
}
