import { DomainError } from '#core/errors.ts'
import { barredFrom } from '#core/gate/contributors.ts'
import { mayAnswer } from '#core/gate/may-answer.ts'
import { refusal, type Vote } from '#core/gate/tally.ts'
import type { Decision } from '#core/gate/types.ts'
import { asVote, type GateLaw } from './as-vote.ts'
import { type Voter, type WhoAsks, whoDecides } from './who-decides.ts'

interface OpenGate extends GateLaw {
  votes: readonly Vote[]
}

/** In whose name the caller would answer; undefined for who may decide nothing. */
export async function findVoter(ctx: WhoAsks): Promise<Voter | undefined> {
  return await whoDecides(ctx, undefined).catch((error: unknown) => {
    if (error instanceof DomainError && error.code === 'approver_not_allowed') return undefined
    throw error
  })
}

/** The answers to a gate that would be taken from this voter now: an approval only where it brings the gate nearer to its end. */
export function takenFrom(voter: Voter, gate: OpenGate): Decision[] {
  const { required, votes, provenance } = gate
  const requesters = barredFrom(required, provenance)
  const { vote, enabled } = asVote(gate, voter)
  const rejected = refusal(required, votes, { ...vote, decision: 'reject' }, requesters)
  const approves = enabled === undefined && mayAnswer(required, votes, vote, requesters)
  return [...(approves ? (['approve'] as const) : []), ...(rejected === undefined ? (['reject'] as const) : [])]
}
