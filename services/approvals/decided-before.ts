import { decisionIdOfDelivery } from '#core/inbox/item.ts'
import type { DecisionContext } from '../context.ts'
import { decisionAnswer } from './decision-answer.ts'
import type { DecidedGate, GateDecision } from './gate-decision.ts'

/** The id of a decision: of a request that may be repeated always the same, so that the record holds it once. */
export function decisionIdFor({ attempt, ids }: Pick<DecisionContext, 'attempt' | 'ids'>): string {
  return attempt === undefined ? ids.next('decision') : decisionIdOfDelivery(attempt.id)
}

/** What the decision of an earlier attempt came to; undefined where none is on record. */
export async function decidedBefore(
  ctx: DecisionContext,
  of: { run_id: string } | { gate_id: string },
  kind: GateDecision['kind'],
): Promise<DecidedGate | undefined> {
  if (!ctx.attempt?.again) return undefined
  const decision_id = decisionIdFor(ctx)
  const gate_id = 'gate_id' in of ? of.gate_id : await ctx.decisions.decidedAs(of.run_id, decision_id)
  const gate = gate_id === undefined ? undefined : await ctx.decisions.read(gate_id)
  const answer = gate && decisionAnswer(gate, decision_id)
  if (gate === undefined || answer === undefined) return undefined
  return { ...answer, run_id: gate.run_id, decision: kind === 'approve' || kind === 'reject' ? kind : null }
}
