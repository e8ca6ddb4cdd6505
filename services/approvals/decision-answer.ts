import type { GateOutcome } from '#core/contract.ts'
import type { GateState } from '#store/gate-decisions.ts'

/** What a decision came to, from the record; undefined when it is not there. */
export function decisionAnswer(gate: GateState, decisionId: string): GateOutcome | undefined {
  const { gate_id, status, required, resolution, resolved_at } = gate
  const none = { have: 0, need: required.approvals }
  if (resolution?.decision_id === decisionId) {
    const { by: resolved_by, channel, approvals = none } = resolution
    return { gate_id, status, resolved: true, approvals, resolved_by, resolved_at, channel }
  }
  const vote = gate.answers.find((each) => each.decision_id === decisionId)
  if (vote === undefined) return undefined
  return {
    ...{ gate_id, status: 'open', resolved: false, resolved_by: null, resolved_at: null },
    approvals: vote.approvals ?? none,
    channel: vote.command?.channel ?? 'system',
  }
}
