import type { GateOutcome } from '#core/contract.ts'
import type { Channel } from '#core/gate/types.ts'
import type { GateState } from '#store/gate-decisions.ts'

/** What a decision came to, from the record; undefined when it is not there. */
export function decisionAnswer(gate: GateState, decisionId: string): GateOutcome | undefined {
  const vote = gate.votes.find((each) => each.decision_id === decisionId)
  if (gate.resolution?.['decision_id'] === decisionId) return resolvedAnswer(gate)
  if (vote === undefined) return undefined
  return {
    gate_id: gate.id,
    status: 'open',
    resolved: false,
    approvals: vote.approvals ?? { have: 0, need: gate.required.approvals },
    resolved_by: null,
    resolved_at: null,
    channel: vote.command?.channel ?? 'system',
  }
}

/** How a gate ended. The record was written in this very shape. */
function resolvedAnswer({ id, status, required, resolution, resolved_at }: GateState): GateOutcome {
  const { by, channel, approvals } = resolution ?? {}
  return {
    gate_id: id,
    status,
    resolved: status !== 'open',
    approvals: countOf(approvals) ?? { have: 0, need: required.approvals },
    resolved_by: typeof by === 'string' ? by : null,
    resolved_at,
    channel: typeof channel === 'string' ? (channel as Channel) : 'system',
  }
}

function countOf(value: unknown): GateOutcome['approvals'] | undefined {
  return value !== null && typeof value === 'object' && 'have' in value
    ? (value as GateOutcome['approvals'])
    : undefined
}
