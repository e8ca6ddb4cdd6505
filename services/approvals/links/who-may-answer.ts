import type { Actor } from '#core/actor.ts'
import { barredFrom } from '#core/gate/contributors.ts'
import { missing } from '#core/gate/requirement.ts'
import type { Decision } from '#core/gate/types.ts'
import { gateFacts } from '#core/notify/gate-facts.ts'
import { findVoter, takenFrom } from '../gate-decision.ts'
import type { NoticeView } from '../notice-gates.ts'
import type { LinkContext } from './link-context.ts'

/** The answers of a signed-in user that would be accepted, and the missing voters. */
export interface LinkAnswers {
  you_may: Decision[]
  /** the votes that the gate still needs */
  missing: string
  /** names of people who may bring it */
  others: string[]
}

export async function whoMayAnswer(ctx: LinkContext, gate: NoticeView, actor: Actor): Promise<LinkAnswers> {
  const { workspace_id, required, votes, provenance } = gate
  const voter = await findVoter({ ...ctx, actor, workspace_id, channel: 'magic_link' })
  const { clauses, people } = gateFacts(gate).ask
  const unmet = clauses.filter(({ met }) => !met)
  const answered = new Set(votes.map(({ by }) => by))
  const still = new Set(gate.people.filter(({ id }) => id !== actor.id && !answered.has(id)).map(({ name }) => name))
  const able = unmet.length === 0 ? people : unmet.flatMap((clause) => clause.people)
  return {
    you_may: voter === undefined ? [] : takenFrom(voter, gate),
    missing: missing(required, votes, barredFrom(required, provenance)).text,
    others: [...new Set(able)].filter((name) => still.has(name)),
  }
}
