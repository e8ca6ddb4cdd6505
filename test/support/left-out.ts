import type { PipelineSnapshot } from '#core/pipeline/snapshot.ts'
import { isStepEnd } from '#core/pipeline/transitions.ts'

/** A record as a look reads it: without the outputs of runs that were seen to end, and of steps but those named in `known`. */
export function withLeftOut(snapshot: PipelineSnapshot, known: readonly string[]): PipelineSnapshot {
  const isOver = (id: string) => snapshot.steps.some((step) => step.id === id && isStepEnd(step.state))
  return {
    ...snapshot,
    steps: snapshot.steps.map((step) =>
      step.outputs === null || known.includes(step.id) ? step : { ...step, outputs: null, is_left_out: true },
    ),
    children: snapshot.children.map((child) => {
      if (child.outputs === null || (known.includes(child.step_id) && !isOver(child.step_id))) return child
      const left_out_bytes = isOver(child.step_id) ? null : JSON.stringify(child.outputs, null, 1).length
      return { ...child, outputs: null, left_out_bytes }
    }),
  }
}
