import type { Actor } from '#core/actor.ts'
import { DomainError } from '#core/errors.ts'
import type { PasswordChange } from '#core/user/schema.ts'
import type { UserPatch, UserRow } from '#store/users.ts'
import { defineVerb } from '../define-verb.ts'
import { auditsOf, changeBy, type IdentityContext, logsOf } from './identity.ts'
import { mustKnow } from './known-people.ts'
import { mustBe } from './may.ts'
import { userActor } from './user-record.ts'
import { invalid, mustBeWhollyWithin, mustReach } from './user-rules.ts'

/**
 * Sets a password, which ends every session of its user. An invitation sets the first one; one's own takes the current
 * one; an admin sets another's without.
 */
export const setPassword = defineVerb(
  { role: 'user', access: 'write', scope: 'account' },
  async (ctx: IdentityContext, input: PasswordChange & { user_id: string }): Promise<void> => {
    const { user_id, invite_token, current_password } = input
    const own = user_id === ctx.actor.id
    // before the lookup: the refusal does not tell whether the user exists
    if (!own && invite_token === undefined) mustBe(ctx.actor, 'admin')
    const row = await ctx.users.find(user_id)
    if (invite_token !== undefined) mustInvite(ctx, row, invite_token)
    else if (!own) mustGovern(ctx.actor, row)
    else await mustKnowPassword(ctx, row, current_password)
    const password_hash = await ctx.passwords.hash(input.password)
    const changed = own || invite_token !== undefined ? undefined : await changeBy(ctx, 'password')
    await ctx.users.change(user_id, (current) => {
      if (invite_token !== undefined) mustInvite(ctx, current, invite_token)
      else if (!own) mustGovern(ctx.actor, current)
      else if (current.password_hash !== row?.password_hash)
        throw new DomainError('conflict', 'The password has just changed.')
      return {
        patch: { password_hash, token_version: current.token_version + 1, ...activation(current) },
        audit: auditsOf(ctx, {
          category: 'admin',
          action: invite_token === undefined ? 'user.password_set' : 'user.joined',
          user_id,
          logs: logsOf(current),
        }),
        changed,
      }
    })
  },
)

/** The invited user behind an invitation that is still good, as the one who acts; undefined for any other token. */
export async function findInvited(
  ctx: Pick<IdentityContext, 'users' | 'sha256' | 'clock'>,
  input: { user_id: string; invite_token: string },
): Promise<Actor | undefined> {
  const row = await ctx.users.find(input.user_id)
  return row !== undefined && isInvited(ctx, row, input.invite_token) ? userActor(row, 'signature') : undefined
}

function isInvited(ctx: Pick<IdentityContext, 'sha256' | 'clock'>, row: UserRow, token: string): boolean {
  const { status, invite_hash, invite_expires_at } = row
  // digests of 256 random bits: comparing them in variable time tells nothing of the token
  return status === 'invited' && invite_hash === ctx.sha256(token) && Date.parse(invite_expires_at ?? '') > ctx.clock()
}

function mustInvite(ctx: IdentityContext, row: UserRow | undefined, token: string): void {
  if (row === undefined || !isInvited(ctx, row, token))
    throw new DomainError('unauthenticated', 'The invitation has expired or was used: ask for a new one.')
}

async function mustKnowPassword(
  ctx: IdentityContext,
  row: UserRow | undefined,
  currentPassword: string | undefined,
): Promise<void> {
  if (currentPassword === undefined) throw invalid('/current_password', 'is needed to change your own password')
  const hash = row?.password_hash ?? (await ctx.passwords.decoy())
  if (!(await ctx.passwords.verify(hash, currentPassword))) throw invalid('/current_password', 'is not your password')
}

/** A password gives access to all workspaces of a user, so the caller must have access to all of them. */
function mustGovern(actor: Actor, row: UserRow | undefined): void {
  const known = mustKnow(actor, row)
  mustBeWhollyWithin(actor, known)
  mustReach(actor, known)
}

/** An invited user is one from the first password on; a disabled one stays outside. */
function activation(row: UserRow): UserPatch {
  return row.status === 'invited' ? { status: 'active', invite_hash: null, invite_expires_at: null } : {}
}
