import type { Actor } from '#core/actor.ts'
import type { UserRow } from '#store/users.ts'

/** The user as the one who acts. */
export function userActor(row: UserRow, auth: Actor['auth']): Actor {
  const service = row.roles.includes('service')
  return {
    type: service ? 'service' : 'user',
    id: row.id,
    display: row.display_name ?? row.email,
    email: row.email,
    ...(service && row.invited_by !== null ? { human_root: row.invited_by } : {}),
    account_id: row.account_id,
    roles: row.roles,
    approval_roles: row.approval_roles,
    scopes: row.scopes,
    workspaces: workspacesOf(row),
    auth,
  }
}

/** All of them, or ids with home first. */
export function workspacesOf(row: Pick<UserRow, 'workspaces'>): '*' | string[] {
  return row.workspaces.includes('*') ? '*' : row.workspaces
}
