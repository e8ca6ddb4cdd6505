import { isOpen } from './child-status.ts'
import type { PipelineSnapshot } from './snapshot.ts'
import { isStepEnd } from './status.ts'

/** When a pipeline is to be looked at if nothing happens before; null: never. */
export function wakeAt({ steps, children }: Pick<PipelineSnapshot, 'steps' | 'children'>): number | null {
  const times = [
    ...steps.flatMap(({ state, fire_at_ms, deadline_ms, paused_at_ms, timed_out }) => {
      if (state === 'waiting_timer') return [fire_at_ms]
      return isStepEnd(state) || paused_at_ms !== null || timed_out ? [] : [deadline_ms]
    }),
    ...children.flatMap((child) => (isOpen(child) ? [child.not_before_ms] : [])),
  ].filter((time) => time !== null)
  return times.length === 0 ? null : Math.min(...times)
}
