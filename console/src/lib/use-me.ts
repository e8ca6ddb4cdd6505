import { useQuery } from '@tanstack/react-query'
import type { Schema } from '../../../client/create-client.ts'
import { sessionQuery, useChosenWorkspace } from './session.ts'

/** The home of users of all workspaces. */
const HOME = `ws_${'0'.repeat(26)}`

/** A role that a user can be given. */
export type Role = Schema<'UserInvite'>['roles'][number]

/** A higher rank includes the rights of the lower ones. A service account has no session, so it needs no rank here. */
const RANKS: Readonly<Record<Role, number>> = {
  owner: 5,
  admin: 4,
  operator: 3,
  approver: 2,
  viewer: 1,
  service: 0,
  auditor: 0,
}

export const ROLES = Object.keys(RANKS) as Role[]

/** Tells whether one of these roles suffices. It decides what is offered; the API decides what is allowed. */
export function may(roles: readonly string[], need: Exclude<Role, 'service' | 'auditor'>): boolean {
  return ROLES.some((role) => roles.includes(role) && RANKS[role] >= RANKS[need])
}

/** The user of the page, and their rights. */
export function useMe() {
  const user = useQuery(sessionQuery).data?.user
  const chosen = useChosenWorkspace()
  const roles = user?.roles ?? []
  const workspaces = user?.workspaces ?? []
  const everywhere = workspaces.includes('*')
  return {
    id: user?.id ?? '',
    isOwner: may(roles, 'owner'),
    isAdmin: may(roles, 'admin'),
    /** the workspace of the page: the chosen one, or the person's home; undefined while nobody is signed in */
    workspace: chosen ?? (everywhere ? HOME : workspaces[0]),
    mayEnter: (workspace: string) => everywhere || workspaces.includes(workspace),
    isViewer: may(roles, 'viewer'),
    isApprover: may(roles, 'approver'),
    isOperator: may(roles, 'operator'),
    /** settings of all workspaces need a user of all workspaces */
    isAdminOfAll: may(roles, 'admin') && everywhere,
  }
}

/** Returns all values of a type of the API: an added or dropped one fails the type check. */
export function allOf<Value extends string>(values: Record<Value, true>): Value[] {
  return Object.keys(values) as Value[]
}
