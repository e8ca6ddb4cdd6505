import { withoutRequesters } from './requester.ts'
import type { Decision, GateStatus, Required } from './types.ts'

/** An answer to a gate. `roles` are the voter's roles and approval roles at that time. */
export interface Vote {
  /** its recorded id */
  decision_id?: string
  by: string
  decision: Decision
  roles?: readonly string[]
  /** the identity was not checked: authentication is off, or the vote did not come through the API */
  asserted?: boolean
  /** people who are out of office and have named this voter their delegate, with their roles */
  delegations?: readonly { of: string; roles: readonly string[] }[]
  /** the service account that answered for them */
  via?: string
  /** the people behind that account, who share the vote */
  behind?: readonly string[]
}

/** Returns everyone who shares this vote: the voter, and for an answer by a service account the account and the people behind it. */
const votersOf = ({ by, via, behind = [] }: Vote): string[] => (via === undefined ? [by] : [by, via, ...behind])

/** Tells whether two votes belong to one person: a person and all their accounts have one vote. */
function isSamePerson(one: Vote, other: Vote): boolean {
  const voters = votersOf(one)
  return votersOf(other).some((id) => voters.includes(id))
}

/** Counts the votes of a gate: one rejection rejects; approval takes the quorum and every role clause. */
export function tally(
  required: Required,
  votes: readonly Vote[],
  requesters: readonly string[] = [],
): Extract<GateStatus, 'open' | 'approved' | 'rejected'> {
  if (votes.some((vote) => vote.decision === 'reject')) return 'rejected'
  const { have, need } = countApprovals(required, votes, requesters)
  return have >= need && unmetClauses(required, votes, requesters).length === 0 ? 'approved' : 'open'
}

/** Approvals by distinct approvers, and how many it takes. A delegate counts once, as who they are. */
export function countApprovals(
  required: Required,
  votes: readonly Vote[],
  requesters: readonly string[] = [],
): { have: number; need: number } {
  return { have: approvalsAmong(required, votes, requesters).length, need: Math.max(1, required.approvals) }
}

/** The votes that a result rests on: the rejection, or the first approval of each approver. */
export function countedVotes(required: Required, votes: readonly Vote[], requesters: readonly string[] = []): Vote[] {
  const rejection = votes.find((vote) => vote.decision === 'reject')
  return rejection === undefined ? approvalsAmong(required, votes, requesters) : [rejection]
}

/** Role clauses that no approver satisfies yet. */
export function unmetClauses(
  required: Required,
  votes: readonly Vote[],
  requesters: readonly string[] = [],
): string[][] {
  const approvals = approvalsAmong(required, votes, requesters)
  return required.approval_roles.filter((clause) => !approvals.some((vote) => satisfies(vote, clause, requesters)))
}

/**
 * Returns why a vote does not count; undefined when it does. Any user with a vote may reject: that only stops the run. `requesters` are the
 * users whose approval the gate refuses (`barredFrom`).
 */
export function refusal(
  required: Required,
  votes: readonly Vote[],
  vote: Vote,
  requesters: readonly string[],
): 'approver_not_allowed' | 'conflict' | 'self_approval' | undefined {
  if (vote.by === '') return 'approver_not_allowed'
  if (votes.some((earlier) => earlier.by === vote.by && earlier.decision === vote.decision)) return 'conflict'
  if (vote.decision === 'reject') return undefined
  if (votes.some((earlier) => earlier.decision === 'approve' && isSamePerson(earlier, vote))) return 'conflict'
  if (isOwn(required, vote, requesters)) return 'self_approval'
  const clauses = required.approval_roles
  const bringsRole = clauses.length === 0 || clauses.some((clause) => satisfies(vote, clause, requesters))
  return bringsRole || isFurther(required, votes, vote, requesters) ? undefined : 'approver_not_allowed'
}

/** Any known approver counts while the missing approvals outnumber the unmet role clauses. */
function isFurther(required: Required, votes: readonly Vote[], vote: Vote, requesters: readonly string[]): boolean {
  const { have, need } = countApprovals(required, votes, requesters)
  return vote.asserted !== true && need - have > unmetClauses(required, votes, requesters).length
}

/** Returns the part that an answer lacks, such as a note. A rejection that did not come through the API needs none: it only stops the run. */
export function missingPart(
  { require_plan_hash, require_note }: Required,
  { kind, note, plan_hash, channel }: { kind: Decision; note?: string; plan_hash?: string; channel?: string },
): 'plan_hash_required' | 'note_required' | undefined {
  if (kind === 'reject' && channel === 'temporal') return undefined
  if (require_plan_hash && plan_hash === undefined) return 'plan_hash_required'
  const noted = (note ?? '').trim() !== ''
  return !noted && (require_note === 'always' || require_note === kind) ? 'note_required' : undefined
}

/** The first approval of each person. */
function approvalsAmong(required: Required, votes: readonly Vote[], requesters: readonly string[]): Vote[] {
  const first: Vote[] = []
  for (const vote of votes) {
    if (vote.decision !== 'approve' || vote.by === '' || isOwn(required, vote, requesters)) continue
    if (!first.some((earlier) => isSamePerson(earlier, vote))) first.push(vote)
  }
  return first
}

/**
 * Tells whether a vote violates the ban on approving one's own request; a service account of a requester always does, even when it answers
 * for another user.
 */
function isOwn(required: Required, { by, via, behind = [] }: Vote, requesters: readonly string[]): boolean {
  if (required.prevent_self && requesters.includes(by)) return true
  return via !== undefined && [via, ...behind].some((id) => requesters.includes(id))
}

function satisfies(vote: Vote, clause: readonly string[], requesters: readonly string[]): boolean {
  const roles = normalized(vote.roles ?? [])
  if (vote.asserted === true && (roles.includes('owner') || roles.includes('admin'))) return true
  const lent = withoutRequesters(vote.delegations ?? [], requesters).flatMap((delegation) => delegation.roles)
  const held = [...roles, ...normalized(lent)]
  return clause.some((role) => held.includes(role.normalize('NFC')))
}

function normalized(roles: readonly string[]): string[] {
  return roles.map((role) => role.normalize('NFC'))
}
