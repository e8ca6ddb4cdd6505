import type { GateOutcome } from '#core/contract.ts'
import { DomainError } from '#core/errors.ts'
import { barredFrom } from '#core/gate/contributors.ts'
import { mayAnswer } from '#core/gate/requirement.ts'
import { refusal, type Vote } from '#core/gate/tally.ts'
import type { Decision } from '#core/gate/types.ts'
import { decisionIdOfDelivery } from '#core/inbox/item.ts'
import type { GateState } from '#store/gates/gate-decisions.ts'
import type { DecisionContext } from '../context.ts'
import { asVote, type GateLaw } from './as-vote.ts'
import { type Voter, type WhoAsks, whoDecides } from './who-decides.ts'

/** An answer to a gate, from any channel. `dismiss` and `cleared` close it without a verdict on the plan. */
export interface GateDecision {
  run_id: string
  kind: Decision | 'dismiss' | 'cleared'
  note?: string
  gate_id?: string
  plan_hash?: string
  /** the claimed voter; with authentication on, the token decides */
  approver?: string
}

export interface DecidedGate extends GateOutcome {
  run_id: string
  decision: Decision | null
}

/** Returns the recorded outcome of a decision; undefined without one. */
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
    gate_id,
    status: 'open',
    resolved: false,
    resolved_by: null,
    resolved_at: null,
    approvals: vote.approvals ?? none,
    channel: vote.command?.channel ?? 'system',
  }
}

/** The id of a decision: of a request that may be repeated always the same, so that the record holds it once. */
export function decisionIdFor({ attempt, ids }: Pick<DecisionContext, 'attempt' | 'ids'>): string {
  return attempt === undefined ? ids.next('decision') : decisionIdOfDelivery(attempt.id)
}

/** Returns the outcome of an earlier attempt's decision; undefined without one. */
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

interface OpenGate extends GateLaw {
  votes: readonly Vote[]
}

/** Returns the voter of the caller; undefined for a caller who may decide nothing. */
export async function findVoter(ctx: WhoAsks): Promise<Voter | undefined> {
  return await whoDecides(ctx, undefined).catch((error: unknown) => {
    if (error instanceof DomainError && error.code === 'approver_not_allowed') return undefined
    throw error
  })
}

/** Returns the answers to a gate that would be accepted from this voter now: an approval only if it brings the gate nearer to its end. */
export function takenFrom(voter: Voter, gate: OpenGate): Decision[] {
  const { required, votes, provenance } = gate
  const requesters = barredFrom(required, provenance)
  const { vote, enabled } = asVote(gate, voter)
  const rejected = refusal(required, votes, { ...vote, decision: 'reject' }, requesters)
  const approves = enabled === undefined && mayAnswer(required, votes, vote, requesters)
  return [...(approves ? (['approve'] as const) : []), ...(rejected === undefined ? (['reject'] as const) : [])]
}
