import type { PlanStep } from './types.ts'

/** The longest timeout of a step that may begin beside a workflow task, in which nobody else is answered. */
export const NEAR_STEP_MS = 1_000

/** Whether the first leg is likely to come to a gate, or to the end, beside its workflow task: all that it would begin before is short. */
export function staysNear(steps: readonly PlanStep[]): boolean {
  for (const step of steps) {
    if (step.requires_approval) return true
    if (step.timeout_ms > NEAR_STEP_MS) return false
  }
  return true
}
