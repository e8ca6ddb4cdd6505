import { isoTime } from '#core/time.ts'
import type { OwnEdit, User } from '#core/user/schema.ts'
import { auditOf, type IdentityContext, mustBeKnown } from './identity.ts'
import { toUserRecord } from './user-record.ts'
import { invalid } from './user-rules.ts'

/** Changes the caller's own name, absence and delegate. */
export async function updateMe(ctx: IdentityContext, input: OwnEdit): Promise<User> {
  const { actor } = ctx
  if (input.delegate_to) await mustBeAble(ctx, input.delegate_to)
  const patch = {
    ...(input.display_name === undefined ? {} : { display_name: input.display_name }),
    ...(input.out_of_office_until === undefined ? {} : { out_of_office_until: utc(input.out_of_office_until) }),
    ...(input.delegate_to === undefined ? {} : { delegate_to: input.delegate_to }),
  }
  const row = await ctx.users.change(actor.id, () => ({
    patch,
    audit: auditOf(ctx, { category: 'admin', action: 'user.changed', user_id: actor.id, data: patch }),
  }))
  return toUserRecord(mustBeKnown(row))
}

/** Throws unless the delegate is somebody else of the same account who can sign in. */
async function mustBeAble(ctx: IdentityContext, delegateId: string): Promise<void> {
  const delegate = await ctx.users.find(delegateId)
  const able = delegate?.status === 'active' && delegate.account_id === ctx.actor.account_id
  if (!able || delegateId === ctx.actor.id) throw invalid('/delegate_to', 'is nobody who could answer for you')
}

function utc(time: string | null): string | null {
  return time === null ? null : isoTime(Date.parse(time))
}
