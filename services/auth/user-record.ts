import type { Actor } from '#core/actor.ts'
import type { User } from '#core/user/schema.ts'
import type { UserRow } from '#store/users.ts'
import { visibilityOf } from './known-people.ts'
import { mayEnter } from './may.ts'

/** Returns a user for people: absent instead of null, and without secrets. */
export function toUserRecord(row: UserRow): User & { etag: string } {
  return {
    id: row.id,
    account_id: row.account_id,
    email: row.email,
    roles: row.roles,
    approval_roles: row.approval_roles,
    scopes: row.scopes,
    workspaces: row.workspaces,
    status: row.status,
    created_at: row.created_at,
    etag: userEtag(row),
    ...(row.display_name === null ? {} : { display_name: row.display_name }),
    ...(row.out_of_office_until === null ? {} : { out_of_office_until: row.out_of_office_until }),
    ...(row.delegate_to === null ? {} : { delegate_to: row.delegate_to }),
    ...(row.answering_accounts.length === 0 ? {} : { answering_accounts: row.answering_accounts }),
    ...(row.last_login_at === null ? {} : { last_login_at: row.last_login_at }),
  }
}

/** Returns users as this actor may see them: only workspaces of the actor, and only users in them. */
export async function userRecordsFor(
  ctx: Parameters<typeof visibilityOf>[0],
  rows: readonly UserRow[],
): Promise<ReturnType<typeof toUserRecord>[]> {
  const isVisible = await visibilityOf(
    ctx,
    rows.flatMap(({ delegate_to, answering_accounts }) => [delegate_to, ...answering_accounts]),
  )
  return rows.map((row) =>
    toUserRecord({
      ...row,
      workspaces: row.workspaces.filter((id) => id === '*' || mayEnter(ctx.actor, id)),
      delegate_to: isVisible(row.delegate_to) ? row.delegate_to : null,
      answering_accounts: row.answering_accounts.filter(isVisible),
    }),
  )
}

/** Changes with every change of the user, and not with a sign-in. */
export function userEtag({ updated_at }: Pick<UserRow, 'updated_at'>): string {
  return `"${updated_at}"`
}

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
