import { DomainError } from '#core/errors.ts'
import type { UserEdit } from '#core/user/schema.ts'
import type { UserPatch, UserRow } from '#store/users.ts'
import { mustMatch } from '../must-match.ts'
import { changeBy } from './change-by.ts'
import { auditOf, type IdentityContext } from './identity.ts'
import { mustExist } from './invite-user.ts'
import { toUserRecord, userEtag } from './user-record.ts'
import { invalid, mustBeSound, mustLeaveAnOwner, mustReach } from './user-rules.ts'

/** Changes what somebody may do. New roles and a new status end every session of theirs. Throws `version_conflict`. */
export async function updateUser(
  ctx: IdentityContext,
  { user_id, if_match, edit }: { user_id: string; if_match?: string | undefined; edit: UserEdit },
): Promise<ReturnType<typeof toUserRecord>> {
  if (edit.workspaces !== undefined) await mustExist(ctx, edit.workspaces)
  const { display_name: _name, ...rights } = changesOf(edit)
  const changed = Object.keys(rights).length === 0 ? undefined : await changeBy(ctx, 'rights')
  const row = await ctx.users.change(user_id, (current, otherOwners) => {
    if (current.account_id !== ctx.actor.account_id) throw new DomainError('not_found', 'a user of another account')
    mustMatch(if_match, userEtag(current), 'The user')
    const patch = patchOf(current, edit)
    const next = { ...current, ...patch }
    mustReach(ctx.actor, current)
    mustBeSound(next)
    mustReach(ctx.actor, next)
    mustLeaveAnOwner(current, patch, otherOwners)
    return {
      patch,
      audit: auditOf(ctx, { category: 'admin', action: 'user.changed', user_id, data: changesOf(edit) }),
      changed,
    }
  })
  if (row === undefined) throw new DomainError('not_found', 'there is no such user')
  return toUserRecord(row)
}

function patchOf(current: UserRow, edit: UserEdit): UserPatch {
  const next = { ...current, ...changesOf(edit) }
  if (next.status === 'active' && next.password_hash === null && !next.roles.includes('service')) {
    throw invalid('/status', 'nobody is active without a password: invite them again, or set one')
  }
  const invitationEnds = edit.status !== undefined && current.status === 'invited'
  const revokes = next.status !== current.status || next.roles.toSorted().join() !== current.roles.toSorted().join()
  return {
    ...changesOf(edit),
    ...(invitationEnds ? { invite_hash: null, invite_expires_at: null } : {}),
    ...(revokes ? { token_version: current.token_version + 1 } : {}),
  }
}

/** What the caller named, and nothing else. */
function changesOf(edit: UserEdit) {
  const unique = (names: string[]) => [...new Set(names)]
  return {
    ...(edit.display_name === undefined ? {} : { display_name: edit.display_name }),
    ...(edit.roles === undefined ? {} : { roles: unique(edit.roles) }),
    ...(edit.approval_roles === undefined ? {} : { approval_roles: unique(edit.approval_roles) }),
    ...(edit.scopes === undefined ? {} : { scopes: unique(edit.scopes) }),
    ...(edit.workspaces === undefined ? {} : { workspaces: unique(edit.workspaces) }),
    ...(edit.status === undefined ? {} : { status: edit.status }),
  }
}
