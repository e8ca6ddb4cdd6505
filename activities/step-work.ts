import type { PlanStep } from '#core/plan/types.ts'
import type { ForetoldStep } from '#core/run/dry-run-schema.ts'
import type { StepDeps } from './deps.ts'
import type { JudgedStep } from './step-verdict.ts'
import type { Walk } from './walk.ts'

/** A step at work: what it stands on, the leg that carries it, and the step of the plan. */
export interface StepWork {
  readonly deps: StepDeps
  readonly walk: Walk
  readonly step: PlanStep
}

/** With what it will do, as that was judged. */
export interface JudgedWork extends StepWork {
  readonly judged: JudgedStep
  /** of a read that a dry run does */
  readonly foretold?: ForetoldStep
}

/** How records name the step. */
export function stepKey({ walk, step }: Pick<StepWork, 'walk' | 'step'>): { step_id: string; ordinal: number } {
  return { step_id: step.id, ordinal: walk.plan.steps.indexOf(step) }
}
