import { type DomainError, isPassing } from '#core/errors.ts'
import type { ChildRecord, StartFact } from '#core/pipeline/snapshot.ts'

/** After so long a start that something stood in the way of is tried again. */
const AGAIN_MS = 15_000

/** What passes is waited for, within the time of the step; a halt and a freeze hold a run back, they do not fail it. */
export function startFact(
  error: DomainError,
  child: Pick<ChildRecord, 'step_id' | 'run_id'>,
  now_ms: number,
): StartFact {
  const { code, message } = error
  const isHeld = code === 'halted' || code === 'frozen' || code === 'conflict'
  if (isHeld || isPassing(code)) return { kind: 'later', at_ms: now_ms + AGAIN_MS, reason: code }
  // the words of a start by hand, to whom a template was shown
  const said =
    code === 'plan_changed'
      ? 'its template, or something else in its pack, has changed since the pipeline began'
      : message
  return {
    kind: 'refused',
    error: { code, message: said.slice(0, 1_000), step: child.step_id, run_id: child.run_id },
  }
}
