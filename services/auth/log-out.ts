import { LOCAL_ACTOR } from './authenticator.ts'
import { auditsOf, type IdentityContext, logsOf, mustBeKnown } from './identity.ts'

/**
 * Ends every session of the caller, this one included: tokens are not kept anywhere, so they end together. With
 * authentication off there is no session to end.
 */
export async function logOut(ctx: IdentityContext): Promise<void> {
  const { id } = ctx.actor
  if (id === LOCAL_ACTOR.id) return
  const row = await ctx.users.change(id, (current) => ({
    patch: { token_version: current.token_version + 1 },
    audit: auditsOf(ctx, { category: 'auth', action: 'token.revoked', user_id: id, logs: logsOf(current) }),
  }))
  mustBeKnown(row)
}
