import { isOpen } from './child-status.ts'
import type { PipelineSnapshot } from './snapshot.ts'
import { isStepEnd } from './status.ts'
import type { PipelineDefinition } from './types.ts'

/** What a pipeline awaits of its runs, as long as all goes well. */
export interface NewsAwaited {
  /** how many moves of its runs there are at least before anything follows from them */
  count: number
  /** what follows then is its end */
  ends: boolean
}

/** One move where the next may let another step begin, else as many as the nearest step needs, or as there are open runs. */
export function awaitedUpdates(
  definition: PipelineDefinition,
  { closing, steps, children }: Pick<PipelineSnapshot, 'closing' | 'steps' | 'children'>,
): NewsAwaited {
  const states = new Map(steps.map(({ id, state }) => [id, state]))
  const begun = steps.filter(({ state }) => state !== 'pending' && !isStepEnd(state))
  // runs of a list make room for others; what waits for something else than runs begins at any time
  const isPlain = begun.every(({ state, items }) => state === 'running' && items === null)
  if (closing !== null || !isPlain) return { count: 1, ends: false }
  const open = new Set(children.filter(isOpen).map(({ step_id }) => step_id))
  const pending = definition.steps.filter(({ id }) => states.get(id) === 'pending')
  const next = pending
    .filter(({ needs }) => needs.every((need) => states.get(need) !== 'pending'))
    .map(({ needs }) => needs.filter((need) => open.has(need)).length)
  return { count: Math.max(1, Math.min(open.size, ...next)), ends: pending.length === 0 && open.size > 0 }
}
