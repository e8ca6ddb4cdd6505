import { randomBytes } from 'node:crypto'
import { DomainError } from '#core/errors.ts'
import { DAY_MS, isoTime } from '#core/time/time.ts'
import type { InvitedUser, UserInvite } from '#core/user/schema.ts'
import type { UserChange, UserRow } from '#store/users.ts'
import { defineVerb } from '../define-verb.ts'
import { auditsOf, changeBy, type IdentityContext, logsOf, workspacesIn } from './identity.ts'
import { knows } from './known-people.ts'
import { toUserRecord } from './user-record.ts'
import { invalid, mustBeSound, mustBeWhollyWithin, mustReach } from './user-rules.ts'

const INVITATION_MS = 7 * DAY_MS

/** Invites a user into workspaces of the caller. A repeated invitation ends the older token; where it gives no name, the earlier one stays. */
export const inviteUser = defineVerb(
  { role: 'admin', access: 'write', scope: 'account' },
  async (ctx: IdentityContext, input: UserInvite): Promise<InvitedUser> => {
    const rights = {
      roles: [...new Set(input.roles)],
      approval_roles: [...new Set(input.approval_roles ?? [])],
      scopes: [...new Set(input.scopes ?? [])],
      workspaces: input.workspaces ?? defaultWorkspaces(input),
    }
    mustBeSound(rights)
    mustReach(ctx.actor, rights)
    await mustExist(ctx, rights.workspaces)
    const token = randomBytes(32).toString('base64url')
    const invitation = {
      ...rights,
      invite_hash: ctx.sha256(token),
      invite_expires_at: isoTime(ctx.clock() + INVITATION_MS),
      invited_by: ctx.actor.id,
    }
    const id = ctx.ids.next('user')
    const named = { email: input.email, account_id: ctx.actor.account_id }
    const { display_name = null } = input
    const changed = await changeBy(ctx, 'invited')
    const audit = (user_id: string, ...before: UserRow[]) =>
      auditsOf(ctx, {
        category: 'admin',
        action: 'user.invited',
        user_id,
        logs: logsOf(rights, ...before),
        data: (log) => ({ ...named, ...rights, workspaces: workspacesIn(log, rights.workspaces) }),
      })
    const row =
      (await ctx.users.invite({ id, ...named, display_name, ...invitation }, audit(id), changed.by)) ??
      (await inviteAgain(ctx, input, invitation, (current) => ({ audit: audit(current.id, current), changed })))
    return { ...toUserRecord(row), invite_token: token, invite_expires_at: invitation.invite_expires_at }
  },
)

/** Owners and admins are at home everywhere; for anybody else nothing is assumed. */
function defaultWorkspaces(input: UserInvite): string[] {
  if (input.roles.includes('owner') || input.roles.includes('admin')) return ['*']
  throw invalid('/workspaces', 'name at least one workspace')
}

/** Throws for workspaces that do not exist. */
export async function mustExist(ctx: Pick<IdentityContext, 'users'>, workspaces: string[]): Promise<void> {
  const [unknown] = await ctx.users.unknownWorkspaces(workspaces.filter((id) => id !== '*'))
  if (unknown !== undefined) throw invalid('/workspaces', `there is no workspace ${unknown}`)
}

async function inviteAgain(
  ctx: IdentityContext,
  input: UserInvite,
  invitation: Partial<UserRow>,
  record: (before: UserRow) => Pick<UserChange, 'audit' | 'changed'>,
): Promise<UserRow> {
  const found = await ctx.users.findByEmail(input.email)
  const row =
    found &&
    (await ctx.users.change(found.id, (current) => {
      if (current.status !== 'invited' || !knows(ctx.actor, current)) throw taken()
      mustBeWhollyWithin(ctx.actor, current)
      mustReach(ctx.actor, current)
      const { display_name = current.display_name } = input
      return { patch: { ...invitation, display_name }, ...record(current) }
    }))
  if (row === undefined) throw taken()
  return row
}

function taken(): DomainError {
  return new DomainError('conflict', 'Another user has this address already.')
}
