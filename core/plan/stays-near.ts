import type { PlanStep } from './types.ts'

/** The longest timeout of a step that may begin beside a workflow task, in which nobody else is answered. */
export const NEAR_STEP_MS = 1_000

/**
 * Whether a leg is likely to come to a gate, or to the end, beside its workflow task: all that it would begin before is short.
 * It begins with the first step, or with the one that was approved.
 */
export function staysNear(steps: readonly PlanStep[], approved?: string): boolean {
  const from = approved === undefined ? 0 : steps.findIndex((step) => step.id === approved)
  if (from < 0) return false
  for (const step of steps.slice(from)) {
    if (step.requires_approval && step.id !== approved) return true
    if (step.timeout_ms > NEAR_STEP_MS) return false
  }
  return true
}
