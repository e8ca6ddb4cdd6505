import { DomainError } from '#core/errors.ts'
import type { IdentityContext } from '../auth/identity.ts'
import { knows } from '../auth/known-people.ts'
import { mustReach } from '../auth/user-rules.ts'
import { apiKeyAudits, placesOf } from './api-key-record.ts'

/** Ends a key at once, and with it the authority of the runs that were asked for with it. One that has ended stays so. */
export async function revokeApiKey(ctx: IdentityContext, id: string): Promise<void> {
  const key = await ctx.keys.find(id)
  const account = key === undefined ? undefined : await ctx.users.find(key.user_id)
  if (key === undefined || account === undefined || !knows(ctx.actor, account))
    throw new DomainError('not_found', 'there is no such key')
  const { workspaces } = placesOf(key, account)
  if (!knows(ctx.actor, { account_id: key.account_id, workspaces }))
    throw new DomainError('not_found', 'a key of another workspace')
  mustReach(ctx.actor, { roles: account.roles, workspaces })
  await ctx.keys.revoke(id, ctx.actor.id, apiKeyAudits(ctx, 'api_key.revoked', { key, account }, { name: key.name }))
}
