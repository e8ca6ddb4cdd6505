import type { Actor } from '#core/actor.ts'
import { isoTime } from '#core/time/time.ts'
import type { OwnEdit, User } from '#core/user/schema.ts'
import type { UserRow } from '#store/users.ts'
import { defineVerb } from '../define-verb.ts'
import { LOCAL_ACTOR } from './authenticator.ts'
import { auditsOf, type Identity, type IdentityContext, logsOf, mustBeKnown } from './identity.ts'
import { knows } from './known-people.ts'
import { toUserRecord } from './user-record.ts'
import { invalid } from './user-rules.ts'

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

/** Changes the caller's own name, absence and delegate. */
export const updateMe = defineVerb(
  { role: 'user', access: 'write', scope: 'account' },
  async (ctx: IdentityContext, input: OwnEdit): Promise<User> => {
    const { actor } = ctx
    const delegate = input.delegate_to ? await mustBeAble(ctx, input.delegate_to) : undefined
    const patch = {
      ...(input.display_name !== undefined && { display_name: input.display_name }),
      ...(input.out_of_office_until !== undefined && { out_of_office_until: utc(input.out_of_office_until) }),
      ...(input.delegate_to !== undefined && { delegate_to: input.delegate_to }),
    }
    const { delegate_to: _named, ...own } = patch
    const row = await ctx.users.change(actor.id, (current) => ({
      patch,
      audit: auditsOf(ctx, {
        category: 'admin',
        action: 'user.changed',
        user_id: actor.id,
        logs: logsOf(current),
        // a delegate is named in the workspaces that they share
        data: (log) => (delegate === undefined || logsOf(delegate).includes(log) || isOfAll(delegate) ? patch : own),
      }),
    }))
    return toUserRecord(mustBeKnown(row))
  },
)

/** Throws unless the delegate is another user of the caller's workspaces who can sign in. */
async function mustBeAble(ctx: IdentityContext, delegateId: string): Promise<UserRow> {
  const delegate = await ctx.users.find(delegateId)
  if (delegate?.status !== 'active' || !knows(ctx.actor, delegate) || delegateId === ctx.actor.id)
    throw invalid('/delegate_to', 'is no user who could answer for you')
  return delegate
}

function isOfAll({ workspaces }: UserRow): boolean {
  return workspaces.includes('*')
}

function utc(time: string | null): string | null {
  return time === null ? null : isoTime(Date.parse(time))
}
