import type { Schema } from '#client/create-client.ts'

/** A role that somebody can be given. */
export type Role = Schema<'UserInvite'>['roles'][number]

/** Each may do what those of a lower rank may. A service account has no session, so that nobody here ranks by it. */
const RANKS: Readonly<Record<Role, number>> = { owner: 5, admin: 4, operator: 3, approver: 2, viewer: 1, service: 0 }

export const ROLES = Object.keys(RANKS) as Role[]

/** Whether one of these roles suffices. It settles what is offered; what is done is the API's to settle. */
export function may(roles: readonly string[], need: Exclude<Role, 'viewer' | 'service'>): boolean {
  return ROLES.some((role) => roles.includes(role) && RANKS[role] >= RANKS[need])
}
