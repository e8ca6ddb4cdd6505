import { DomainError } from '#core/errors.ts'
import type { IdentityContext } from '../auth/identity.ts'
import { mustReach } from '../auth/user-rules.ts'
import { apiKeyAudit } from './api-key-record.ts'

/** Ends a key at once, and with it the authority of the runs that were asked for with it. One that has ended stays so. */
export async function revokeApiKey(ctx: IdentityContext, id: string): Promise<void> {
  const key = await ctx.keys.find(id)
  const account = key === undefined ? undefined : await ctx.users.find(key.user_id)
  if (key === undefined || account === undefined || key.account_id !== ctx.actor.account_id)
    throw new DomainError('not_found', 'there is no such key')
  mustReach(ctx.actor, account)
  await ctx.keys.revoke(id, ctx.actor.id, apiKeyAudit(ctx, 'api_key.revoked', key, { name: key.name }))
}
