import type { JsonObject } from '../json/json.ts'
import { countApprovals, refusal, unmetClauses, type Vote } from './tally.ts'
import type { Required } from './types.ts'

/** Returns the requirement of a gate for records, without empty parts. */
export function requirement({ approvals, approval_roles, prevent_self, ...rest }: Required): JsonObject {
  const { require_note, require_plan_hash, freezes, vouches_for } = rest
  return {
    approvals,
    approval_roles: approval_roles.map((clause) => [...clause]),
    prevent_self,
    ...(require_note !== undefined && { require_note }),
    ...(require_plan_hash !== undefined && { require_plan_hash }),
    ...(freezes !== undefined && { freezes: [...freezes] }),
    ...(vouches_for !== undefined && { vouches_for: [...vouches_for] }),
  }
}

/** The approvals that a gate still needs. */
interface Missing {
  approvals: number
  /** open clauses; each takes one of its roles */
  roles: string[][]
  /** the same as a sentence without its end */
  text: string
}

/** Returns the approvals that are still open: how many, and from which roles. */
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

/**
 * Returns why an approval that was given under `held` does not cover what is `required` now; undefined when it does. An approver did not
 * agree to rules that became stricter since then, or to a freeze.
 */
export function uncovered(held: Required, required: Required): 'policy_changed' | 'frozen' | undefined {
  const covers =
    held.approvals >= required.approvals &&
    required.approval_roles.every((clause) =>
      held.approval_roles.some((other) => other.every((role) => clause.includes(role))),
    ) &&
    (held.prevent_self || !required.prevent_self) &&
    // a note on rejections is irrelevant to an approval
    (held.require_note === 'always' || required.require_note !== 'always') &&
    (held.require_plan_hash === true || required.require_plan_hash !== true)
  const announced = held.freezes ?? []
  if (required.freezes?.some((name) => !announced.includes(name)) === true) return 'frozen'
  return covers ? undefined : 'policy_changed'
}

/** Tells whether an approval by this voter would be accepted now and would bring the gate nearer to its end. */
export function mayAnswer(
  required: Required,
  votes: readonly Vote[],
  vote: Omit<Vote, 'decision'>,
  requesters: readonly string[],
): boolean {
  const approval: Vote = { ...vote, decision: 'approve' }
  if (refusal(required, votes, approval, requesters) !== undefined) return false
  const before = missing(required, votes, requesters)
  const after = missing(required, [...votes, approval], requesters)
  return after.approvals < before.approvals || after.roles.length < before.roles.length
}
