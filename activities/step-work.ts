import type { LegOutcome } from '#core/contract.ts'
import type { PlanStep } from '#core/plan/types.ts'
import type { ForetoldStep } from '#core/run/dry-run-schema.ts'
import type { StepDeps } from './deps.ts'
import type { RunSession } from './run-session.ts'
import type { JudgedStep } from './step-verdict.ts'

export type StepEnd = { kind: 'settled' } | LegOutcome

/** A step at work: its dependencies, the session of its run, and the step of the plan. */
export interface StepWork {
  readonly deps: StepDeps
  readonly session: RunSession
  readonly step: PlanStep
}

/** With what it will do, as that was judged. */
export interface JudgedWork extends StepWork {
  readonly judged: JudgedStep
  /** of a read that a dry run does */
  readonly foretold?: ForetoldStep
}

/** How records name the step. */
export function stepKey({ session, step }: Pick<StepWork, 'session' | 'step'>): { step_id: string; ordinal: number } {
  return { step_id: step.id, ordinal: session.plan.steps.indexOf(step) }
}
