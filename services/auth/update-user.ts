import type { Actor } from '#core/actor.ts'
import { DomainError } from '#core/errors.ts'
import type { User, UserEdit } from '#core/user/schema.ts'
import type { UserPatch, UserRow } from '#store/users.ts'
import { mustMatch } from '../authored-document.ts'
import { defineVerb } from '../define-verb.ts'
import { type ListPage, type PageRequest, readPage } from '../list-page.ts'
import { auditsOf, changeBy, type IdentityContext, logsOf, workspacesIn } from './identity.ts'
import { mustExist } from './invite-user.ts'
import { beyondReach, circleOf, mustKnow } from './known-people.ts'
import { mayEnter } from './may.ts'
import { type toUserRecord, userEtag, userRecordsFor } from './user-record.ts'
import { invalid, mustBeSound, mustBeWhollyWithin, mustLeaveAnOwner, mustReach } from './user-rules.ts'

/**
 * Changes a user's rights. New roles and a new status end all of their sessions. Of a user in further workspaces, only their place in the
 * caller's own changes. Throws `version_conflict`.
 */
export const updateUser = defineVerb(
  { role: 'admin', access: 'write', scope: 'account' },
  async (
    ctx: IdentityContext,
    { user_id, if_match, edit }: { user_id: string; if_match?: string | undefined; edit: UserEdit },
  ): Promise<ReturnType<typeof toUserRecord>> => {
    const { actor } = ctx
    mustReach(actor, { roles: [], workspaces: edit.workspaces ?? [] })
    if (edit.workspaces !== undefined) await mustExist(ctx, edit.workspaces)
    const { display_name: _name, ...rights } = changesOf(edit)
    const by = Object.keys(rights).length === 0 ? undefined : await changeBy(ctx, 'rights')
    const row = await ctx.users.change(user_id, (found, otherOwners) => {
      const current = mustKnow(actor, found)
      mustMatch(if_match, userEtag(current), 'The user')
      const { workspaces: _places, ...beyondPlaces } = edit
      if (Object.keys(beyondPlaces).length > 0 || current.workspaces.includes('*')) mustBeWhollyWithin(actor, current)
      const patch = patchOf(current, mergedWith(actor, current, edit))
      const next = { ...current, ...patch }
      mustReach(actor, { roles: [...current.roles, ...next.roles], workspaces: [] })
      mustBeSound(next)
      mustLeaveAnOwner(current, patch, otherOwners)
      return { patch, audit: auditsOf(ctx, changed(actor, current, patch, edit)), changed: by }
    })
    const [record] = await userRecordsFor(ctx, row === undefined ? [] : [row])
    if (record === undefined) throw new DomainError('not_found', 'there is no such user')
    return record
  },
)

/** The edit with the workspaces that the actor does not see, which stay as they are; home stays first. */
function mergedWith(actor: Actor, current: UserRow, edit: UserEdit): UserEdit {
  if (edit.workspaces === undefined) return edit
  const hidden = beyondReach(actor, current)
  const isAway = hidden.includes(current.workspaces[0] ?? '')
  const workspaces = isAway ? [...hidden, ...edit.workspaces] : [...edit.workspaces, ...hidden]
  if (workspaces.length === 0) throw invalid('/workspaces', 'name at least one workspace')
  return { ...edit, workspaces }
}

/** Drafts records for the logs of the actor's workspaces and the user's, before and after; each log names its own workspace only. */
function changed(actor: Actor, current: UserRow, patch: UserPatch, edit: UserEdit) {
  const next = patch.workspaces ?? current.workspaces
  const { workspaces: _places, ...changes } = changesOf(edit)
  return {
    ...({ category: 'admin', action: 'user.changed', user_id: current.id } as const),
    logs: logsOf(current, { workspaces: next }).filter((log) => mayEnter(actor, log)),
    data: (log: string) => ({ ...changes, ...(edit.workspaces && { workspaces: workspacesIn(log, next) }) }),
  }
}

function patchOf(current: UserRow, edit: UserEdit): UserPatch {
  const next = { ...current, ...changesOf(edit) }
  if (next.status === 'active' && next.password_hash === null && !next.roles.includes('service')) {
    throw invalid('/status', 'a user cannot be active without a password: invite them again, or set one')
  }
  const invitationEnds = edit.status !== undefined && current.status === 'invited'
  const revokes = next.status !== current.status || next.roles.toSorted().join() !== current.roles.toSorted().join()
  return {
    ...changesOf(edit),
    ...(invitationEnds ? { invite_hash: null, invite_expires_at: null } : {}),
    ...(revokes ? { token_version: current.token_version + 1 } : {}),
  }
}

/** Returns the fields that the caller named. */
function changesOf(edit: UserEdit) {
  const unique = (names: string[]) => [...new Set(names)]
  return {
    ...(edit.display_name !== undefined && { display_name: edit.display_name }),
    ...(edit.roles !== undefined && { roles: unique(edit.roles) }),
    ...(edit.approval_roles !== undefined && { approval_roles: unique(edit.approval_roles) }),
    ...(edit.scopes !== undefined && { scopes: unique(edit.scopes) }),
    ...(edit.workspaces !== undefined && { workspaces: unique(edit.workspaces) }),
    ...(edit.status !== undefined && { status: edit.status }),
  }
}

/** Users of the caller's workspaces, newest first, a page at a time. */
export async function listUsers(
  ctx: Pick<IdentityContext, 'actor' | 'users'>,
  input: PageRequest,
): Promise<ListPage<User>> {
  const circle = circleOf(ctx.actor)
  const page = await readPage(input, {
    prefix: 'usr',
    rows: (place) => ctx.users.list(circle, place),
    count: (up_to) => ctx.users.count(circle, up_to),
    toItem: (row) => row,
  })
  return { ...page, items: await userRecordsFor(ctx, page.items) }
}
