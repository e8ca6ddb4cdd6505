import { DomainError } from '#core/errors.ts'
import type { Fenced, OpeningRefusal } from '#store/run-answers.ts'
import type { StepOpening } from '#store/run-patches.ts'
import type { StepWork } from './step-work.ts'

/** Why a step that was opened is not handed to its target: it is refused by now, its leg has ended or is near its end, or nobody answers. */
export type Unsent = OpeningRefusal | Fenced | 'aborted' | 'late' | { error: unknown }

/** How long an opening counts on which nothing has acted yet. */
const TRUSTED_MS = 200
/** How many answers may come too late, one after the other, before the step gives back what it holds. */
const LATE_ANSWERS = 3

/** Asks whether an opening still holds, where the last answer is too old to say so: undefined where it does. Never rejects. */
export function openingAsker(
  { deps, session }: StepWork,
  open: StepOpening,
  asked_at: number,
): () => Promise<Unsent | undefined> {
  let at = asked_at
  return async () => {
    try {
      for (let late = 0; deps.monotonic() - at > TRUSTED_MS; late += 1) {
        if (session.signal.aborted) return 'aborted'
        if (late === LATE_ANSWERS)
          throw new DomainError('dependency_unavailable', 'the database answers too slowly for a step to begin')
        at = deps.monotonic()
        const refused = await deps.runs.askOpening(session.head.id, session.fence, open)
        if (refused !== undefined) return refused
      }
      return undefined
    } catch (error) {
      return { error }
    }
  }
}
