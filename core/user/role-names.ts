/** The roles of the system, with their rank: each may do what those of a lower one may. `service` is an operator that decides nothing by itself. */
export const ROLE_RANKS = { owner: 5, admin: 4, operator: 3, approver: 2, viewer: 1, service: 3 } as const
export type RoleName = keyof typeof ROLE_RANKS
export const ROLE_NAMES = Object.keys(ROLE_RANKS) as RoleName[]

export function isRoleName(name: string): name is RoleName {
  return Object.hasOwn(ROLE_RANKS, name)
}
