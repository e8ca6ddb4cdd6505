import { barredFrom } from '#core/gate/contributors.ts'
import { withoutRequesters } from '#core/gate/requester.ts'
import type { Vote } from '#core/gate/tally.ts'
import type { Required } from '#core/gate/types.ts'
import { enabledSince, type UserChanges } from '#core/gate/valid-votes.ts'
import type { JsonObject } from '#core/json/json.ts'
import type { Voter } from './who-decides.ts'

/** The rules for which answers a gate accepts. */
export interface GateLaw {
  required: Required
  provenance: JsonObject
  /** time of the run's request */
  asked_at: string
}

export interface JudgedVoter {
  /** the voter without the delegations that may not be used here */
  voter: Omit<Voter, 'changes'>
  vote: Omit<Vote, 'decision'>
  /** changes for the voter since the run's request that were made by a user whose approval the gate refuses */
  enabled?: { id: string; what: keyof UserChanges[string] }
}

/** A voter as a gate sees them. */
export function asVote({ required, provenance, asked_at }: GateLaw, { changes = {}, ...voter }: Voter): JudgedVoter {
  const barred = barredFrom(required, provenance)
  const sinceOf = (id: string) => enabledSince({ changed_by: changes[id] ?? {} }, { required, barred, asked_at })
  const { delegations, ...rest } = voter
  const { by, roles, asserted, via, behind } = voter
  // a contributor lends no role for the run, nor does a user whom they have invited since
  const lent = withoutRequesters(delegations ?? [], barred).filter(({ of }) => sinceOf(of) === undefined)
  const used = lent.length === 0 ? {} : { delegations: lent }
  const [enabled] = [by, ...(via === undefined ? [] : [via])].flatMap((id) => {
    const what = sinceOf(id)
    return what === undefined ? [] : [{ id, what }]
  })
  return {
    voter: { ...rest, ...used },
    vote: {
      by,
      roles,
      asserted,
      ...(via !== undefined && { via }),
      ...(behind !== undefined && { behind }),
      ...used,
    },
    ...(enabled !== undefined && { enabled }),
  }
}
