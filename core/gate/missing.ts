import { countApprovals, unmetClauses, type Vote } from './tally.ts'
import type { Required } from './types.ts'

/** What a gate still needs before it lets through. */
export interface Missing {
  approvals: number
  /** clauses that nobody has met; each takes one of its roles */
  roles: string[][]
  /** the same as a sentence without its end */
  text: string
}

/** What votes leave open: how many approvals, and from whom. */
export function missing(required: Required, votes: readonly Vote[], requesters: readonly string[]): Missing {
  const { have, need } = countApprovals(required, votes, requesters)
  const roles = unmetClauses(required, votes, requesters)
  const approvals = Math.max(need - have, roles.length > 0 ? 1 : 0)
  const from = roles.length === 0 ? '' : `, ${approvals > roles.length ? 'among them' : 'from'} ${rolesText(roles)}`
  return { approvals, roles, text: `${approvals} more approval${approvals === 1 ? '' : 's'}${from}` }
}

/** `dba or sre, and lead`. */
export function rolesText(clauses: readonly (readonly string[])[]): string {
  return clauses.map((clause) => clause.join(' or ')).join(', and ')
}
