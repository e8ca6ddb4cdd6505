import { DomainError } from '#core/errors.ts'
import type { StepOpening } from '#core/run/patch.ts'
import { within } from '#platform/within.ts'
import type { Fenced, OpeningRefusal } from '#store/runs/run-answers.ts'
import type { StepDeps } from '../deps.ts'
import type { RunSession } from '../run/run-session.ts'

/** Why an opened step is not sent: it is refused now, its execution ends, or the database does not answer. */
export type NotSent = OpeningRefusal | Fenced | 'aborted' | 'late' | { error: unknown }

/** Maximum age of the last check before an effect. */
const TRUSTED_MS = 200
/** How many answers may come too late, one after the other, before the step gives back what it holds. */
const LATE_ANSWERS = 3

/** Asks whether an opening still holds, where the last answer is too old to say so: undefined where it does. Never rejects. */
export function openingAsker(
  deps: StepDeps,
  session: RunSession,
  open: StepOpening,
  asked_at: number,
): () => Promise<NotSent | undefined> {
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

/** How long after its beginning a local execution still begins to act: the engine gives it up soon after. */
const LOCAL_ACTS_MS = 2_000

/** What is answered to the questions before a step is sent; `late` where a local execution would wait for it too long. */
export async function inTime(
  deps: StepDeps,
  session: RunSession,
  answer: Promise<NotSent | undefined>,
): Promise<NotSent | undefined> {
  if (!session.local) return await answer
  const left_ms = session.began + LOCAL_ACTS_MS - deps.monotonic()
  if (left_ms <= 0) return 'late'
  return await within(left_ms, answer, () => 'late' as const)
}
