import { isOpen } from './child-status.ts'
import type { PipelineSnapshot } from './snapshot.ts'
import { isStepEnd } from './status.ts'
import type { PipelineDefinition } from './types.ts'

/**
 * How many moves of its runs a pipeline awaits before anything can follow from them, as long as all goes well: 1 where the next one may let
 * another step begin, else as many as the nearest step needs, or as it has open runs.
 */
export function newsAwaited(definition: PipelineDefinition, { closing, steps, children }: PipelineSnapshot): number {
  const states = new Map(steps.map(({ id, state }) => [id, state]))
  const open = new Map<string, number>()
  for (const child of children) if (isOpen(child)) open.set(child.step_id, (open.get(child.step_id) ?? 0) + 1)
  const begun = steps.filter(({ state }) => state !== 'pending' && !isStepEnd(state))
  // runs of a list make room for others; what waits for something else than runs begins at any time
  const isPlain = begun.every(({ state, items }) => state === 'running' && items === null)
  if (closing !== null || !isPlain) return 1
  const all = [...open.values()].reduce((sum, count) => sum + count, 0)
  const next = definition.steps
    .filter(({ id, needs }) => states.get(id) === 'pending' && needs.every((need) => states.get(need) !== 'pending'))
    .map(({ needs }) => needs.reduce((sum, need) => sum + (open.get(need) ?? 0), 0))
  return Math.max(1, Math.min(all, ...next))
}
