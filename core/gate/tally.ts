import type { ErrorCode } from '../errors.ts'
import type { Decision, GateStatus, Required } from './types.ts'

/** One answer to a gate. `roles` are the voter's roles and approval roles at that time. */
export interface Vote {
  by: string
  decision: Decision
  roles?: readonly string[]
  /** nobody checked who this is: authentication is off, or the vote came around the API */
  asserted?: boolean
}

/** Counts the votes of a gate: one rejection rejects; approval takes the quorum and every role clause. */
export function tally(
  required: Required,
  votes: readonly Vote[],
): Extract<GateStatus, 'open' | 'approved' | 'rejected'> {
  if (votes.some((vote) => vote.decision === 'reject')) return 'rejected'
  const { have, need } = countApprovals(required, votes)
  return have >= need && unmetClauses(required, votes).length === 0 ? 'approved' : 'open'
}

/** Approvals by distinct identities, and how many it takes. */
export function countApprovals(required: Required, votes: readonly Vote[]): { have: number; need: number } {
  const approvers = new Set(approvalsAmong(votes).map((vote) => vote.by))
  return { have: approvers.size, need: Math.max(1, required.approvals) }
}

/** Role clauses that no approver satisfies yet. */
export function unmetClauses(required: Required, votes: readonly Vote[]): string[][] {
  const approvals = approvalsAmong(votes)
  return required.approval_roles.filter((clause) => !approvals.some((vote) => satisfies(vote, clause)))
}

/** Why this vote does not count, or undefined when it does. Rejecting is open to everyone who may decide at all: it only stops. */
export function refusal(
  required: Required,
  votes: readonly Vote[],
  vote: Vote,
  requestedBy: string | null | undefined,
): ErrorCode | undefined {
  if (tally(required, votes) !== 'open') return 'gate_resolved'
  if (votes.some((earlier) => earlier.by === vote.by && earlier.decision === vote.decision)) return 'conflict'
  if (vote.by === '') return 'approver_not_allowed'
  if (vote.decision === 'reject') return undefined
  if (required.prevent_self && vote.by === requestedBy) return 'self_approval'
  const clauses = required.approval_roles
  if (clauses.length > 0 && !clauses.some((clause) => satisfies(vote, clause))) return 'approver_not_allowed'
  return undefined
}

function approvalsAmong(votes: readonly Vote[]): Vote[] {
  return votes.filter((vote) => vote.decision === 'approve' && vote.by !== '')
}

function satisfies(vote: Vote, clause: readonly string[]): boolean {
  const roles = (vote.roles ?? []).map((role) => role.normalize('NFC'))
  if (vote.asserted === true && (roles.includes('owner') || roles.includes('admin'))) return true
  return clause.some((role) => roles.includes(role.normalize('NFC')))
}
