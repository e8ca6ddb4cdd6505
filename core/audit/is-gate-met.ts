import { barredFrom } from '../gate/contributors.ts'
import { tally, type Vote } from '../gate/tally.ts'
import type { Required } from '../gate/types.ts'
import { type JsonObject, objectOf, textOf, textsOf } from '../json/json.ts'

export interface TimelineVote {
  by: string
  decision: string
  at: string
  channel: string
  auth: string
  roles: string[]
  via: string | null
  note: string | null
}

export interface TimelineGate {
  gate_id: string
  step: string
  kind: string
  plan_hash: string
  because: string[]
  required: JsonObject
  votes: TimelineVote[]
  status: string
  cause: string | null
  ended_by: string | null
  ended_at: string | null
  /** whether the voters that were counted are those that the gate required; null where it was not approved */
  met: boolean | null
}

/** Counts the votes again, by the record's requirement and by the gate's own when it opened. */
export function isGateMet(gate: TimelineGate, data: JsonObject): boolean {
  const counted = Array.isArray(data['counted']) ? data['counted'].map(objectOf).map(voteOf) : []
  const { requested_by = '', human_root = null, contributors } = data
  const provenance = { actor: { id: requested_by }, human_root, ...(contributors !== undefined && { contributors }) }
  const required = requiredOf(gate.required)
  const isSeen = counted.every(({ by, decision }) =>
    gate.votes.some((vote) => vote.by === by && vote.decision === decision),
  )
  return (
    isSeen &&
    textOf(data['plan_hash']) === gate.plan_hash &&
    tally(required, counted, barredFrom(required, provenance)) === 'approved'
  )
}

function requiredOf(required: JsonObject): Required {
  const { approvals, approval_roles, prevent_self } = required
  return {
    approvals: typeof approvals === 'number' ? approvals : Number.POSITIVE_INFINITY,
    approval_roles: Array.isArray(approval_roles) ? approval_roles.map(textsOf) : [],
    prevent_self: prevent_self !== false,
  }
}

function voteOf({ by, decision, roles, via, behind, asserted, delegations }: JsonObject): Vote {
  return {
    by: textOf(by),
    decision: decision === 'approve' ? 'approve' : 'reject',
    roles: textsOf(roles),
    asserted: asserted === true,
    ...(typeof via === 'string' ? { via, behind: textsOf(behind) } : {}),
    delegations: (Array.isArray(delegations) ? delegations : []).map(objectOf).map((each) => ({
      of: textOf(each['of']),
      roles: textsOf(each['roles']),
    })),
  }
}
