import { DomainError } from '#core/errors.ts'
import { mayAnswer } from '#core/gate/may-answer.ts'
import { requesterIds, withoutRequesters } from '#core/gate/requester.ts'
import { refusal, type Vote } from '#core/gate/tally.ts'
import type { Decision, Required } from '#core/gate/types.ts'
import type { JsonObject } from '#core/json.ts'
import { type WhoAsks, whoDecides } from './who-decides.ts'

type Voter = Awaited<ReturnType<typeof whoDecides>>

interface OpenGate {
  required: Required
  votes: readonly Vote[]
  provenance: JsonObject
}

/** In whose name the caller would answer; undefined for who may decide nothing. */
export async function findVoter(ctx: WhoAsks): Promise<Voter | undefined> {
  return await whoDecides(ctx, undefined).catch((error: unknown) => {
    if (error instanceof DomainError && error.code === 'approver_not_allowed') return undefined
    throw error
  })
}

/** The answers to a gate that would be taken from this voter now: an approval only where it brings the gate nearer to its end. */
export function takenFrom(voter: Voter, { required, votes, provenance }: OpenGate): Decision[] {
  const requesters = requesterIds(provenance)
  const { by, roles, asserted, via, delegations } = voter
  const vote = {
    ...{ by, roles, asserted },
    ...(via === undefined ? {} : { via }),
    ...(delegations === undefined ? {} : { delegations: withoutRequesters(delegations, requesters) }),
  }
  const rejected = refusal(required, votes, { ...vote, decision: 'reject' }, requesters)
  return [
    ...(mayAnswer(required, votes, vote, requesters) ? (['approve'] as const) : []),
    ...(rejected === undefined ? (['reject'] as const) : []),
  ]
}
