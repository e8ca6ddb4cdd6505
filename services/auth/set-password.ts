import type { Actor } from '#core/actor.ts'
import { DomainError } from '#core/errors.ts'
import type { PasswordChange } from '#core/user/schema.ts'
import type { UserPatch, UserRow } from '#store/users.ts'
import { changeBy } from './change-by.ts'
import { auditOf, type IdentityContext } from './identity.ts'
import { mustBe } from './may.ts'
import { userActor } from './user-actor.ts'
import { invalid, mustReach } from './user-rules.ts'

/**
 * Sets a password, which ends every session of its user. An invitation sets the first one; one's own takes the current
 * one; an admin sets another's without.
 */
export async function setPassword(ctx: IdentityContext, input: PasswordChange & { user_id: string }): Promise<void> {
  const { user_id, invite_token, current_password } = input
  const own = user_id === ctx.actor.id
  const row = await ctx.users.find(user_id)
  if (row === undefined) throw new DomainError('not_found', 'there is no such user')
  if (invite_token === undefined) {
    if (own) await mustKnowPassword(ctx, row, current_password)
    else mustGovern(ctx.actor, row)
  }
  const password_hash = await ctx.passwords.hash(input.password)
  const changed = own || invite_token !== undefined ? undefined : await changeBy(ctx, 'password')
  await ctx.users.change(user_id, (current) => {
    if (invite_token !== undefined) mustInvite(ctx, current, invite_token)
    else if (!own) mustGovern(ctx.actor, current)
    else if (current.password_hash !== row.password_hash)
      throw new DomainError('conflict', 'The password has just changed.')
    return {
      patch: { password_hash, token_version: current.token_version + 1, ...activation(current) },
      audit: auditOf(ctx, {
        category: 'admin',
        action: invite_token === undefined ? 'user.password_set' : 'user.joined',
        user_id,
      }),
      changed,
    }
  })
}

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
  // digests of 256 random bits: how far two of them agree tells nothing of the token
  return status === 'invited' && invite_hash === ctx.sha256(token) && Date.parse(invite_expires_at ?? '') > ctx.clock()
}

function mustInvite(ctx: IdentityContext, row: UserRow, token: string): void {
  if (!isInvited(ctx, row, token)) throw new DomainError('unauthenticated', 'The invitation is not good any more.')
}

async function mustKnowPassword(
  ctx: IdentityContext,
  row: UserRow,
  currentPassword: string | undefined,
): Promise<void> {
  if (currentPassword === undefined) throw invalid('/current_password', 'is needed to change your own password')
  const hash = row.password_hash ?? (await ctx.passwords.decoy())
  if (!(await ctx.passwords.verify(hash, currentPassword))) throw invalid('/current_password', 'is not your password')
}

function mustGovern(actor: Actor, row: UserRow): void {
  mustBe(actor, 'admin')
  if (row.account_id !== actor.account_id) throw new DomainError('not_found', 'a user of another account')
  mustReach(actor, row)
}

/** An invited user is one from the first password on; a disabled one stays outside. */
function activation(row: UserRow): UserPatch {
  return row.status === 'invited' ? { status: 'active', invite_hash: null, invite_expires_at: null } : {}
}
