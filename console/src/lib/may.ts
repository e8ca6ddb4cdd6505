const RANKS: Readonly<Record<string, number>> = { owner: 5, admin: 4, operator: 3, approver: 2, viewer: 1 }

/** Whether one of these roles suffices. It settles what is offered; what is done is the API's to settle. */
export function may(roles: readonly string[], need: 'approver' | 'operator' | 'admin' | 'owner'): boolean {
  return roles.some((role) => (RANKS[role] ?? 0) >= (RANKS[need] ?? Number.POSITIVE_INFINITY))
}
