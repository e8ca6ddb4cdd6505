import { useQuery } from '@tanstack/react-query'
import type { Schema } from '../../../client/create-client.ts'
import { sessionQuery } from './session.ts'

/** A role that somebody can be given. */
export type Role = Schema<'UserInvite'>['roles'][number]

/** Each may do what those of a lower rank may. A service account has no session, so that nobody here ranks by it. */
const RANKS: Readonly<Record<Role, number>> = { owner: 5, admin: 4, operator: 3, approver: 2, viewer: 1, service: 0 }

export const ROLES = Object.keys(RANKS) as Role[]

/** Whether one of these roles suffices. It settles what is offered; what is done is the API's to settle. */
export function may(roles: readonly string[], need: Exclude<Role, 'viewer' | 'service'>): boolean {
  return ROLES.some((role) => roles.includes(role) && RANKS[role] >= RANKS[need])
}

/** Who looks at the page, and what may be offered to them. */
export function useMe() {
  const user = useQuery(sessionQuery).data?.user
  const roles = user?.roles ?? []
  const workspaces = user?.workspaces ?? []
  const everywhere = workspaces.includes('*')
  return {
    id: user?.id ?? '',
    isOwner: may(roles, 'owner'),
    isAdmin: may(roles, 'admin'),
    mayEnter: (workspace: string) => everywhere || workspaces.includes(workspace),
    isApprover: may(roles, 'approver'),
    isOperator: may(roles, 'operator'),
    /** what stands above workspaces is changed by who may enter all of them */
    isAdminOfAll: may(roles, 'admin') && everywhere,
  }
}

/** All values of a kind that the API describes: one that it adds or drops fails the type check of anyone who lists them. */
export function allOf<Value extends string>(values: Record<Value, true>): Value[] {
  return Object.keys(values) as Value[]
}
