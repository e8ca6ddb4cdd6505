/** The roles of the system, with their rank: each may do what those of a lower one may. `service` is an operator that decides nothing by itself. */
export const ROLE_RANKS = { owner: 5, admin: 4, operator: 3, approver: 2, viewer: 1, service: 3 } as const
export type RoleName = keyof typeof ROLE_RANKS
export const ROLE_NAMES = Object.keys(ROLE_RANKS) as RoleName[]

export function isRoleName(name: string): name is RoleName {
  return Object.hasOwn(ROLE_RANKS, name)
}

/**
 * The roles by which somebody meets an `approval_role`: their roles of the system, and their free approval roles. A name of the
 * system's always means the system's role: anyone who may hand out free names must not be able to hand out that.
 */
export function heldRoles({ roles, approval_roles }: { roles: string[]; approval_roles: string[] }): string[] {
  return [...roles, ...approval_roles.filter((name) => !isRoleName(name))]
}
