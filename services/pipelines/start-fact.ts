import { type DomainError, isPassing } from '#core/errors.ts'
import type { ChildRecord, StartFact } from '#core/pipeline/snapshot.ts'
import { startLater } from './start-later.ts'

/** A passing failure is retried within the time of the step. A halt or a freeze delays a run and does not fail it. */
export function startFact(error: DomainError, child: Pick<ChildRecord, 'step_id'>, now_ms: number): StartFact {
  const { code, message } = error
  const isHeld = code === 'halted' || code === 'frozen' || code === 'conflict'
  if (isHeld || isPassing(code)) return startLater(now_ms, code)
  // the words of a start by hand, to whom a template was shown
  const said =
    code === 'plan_changed'
      ? 'its template, or something else in its pack, has changed since the pipeline began'
      : message
  return {
    kind: 'refused',
    error: { code, message: said.slice(0, 1_000).toWellFormed(), step: child.step_id },
  }
}
