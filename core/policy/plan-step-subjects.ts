import type { Plan, PlanStep } from '../plan/types.ts'
import { type StepFacts, type StepSubjects, stepSubjects } from './step-subjects.ts'

/** A step of a plan as the law looks at it, as far as it is known before any input is rendered. */
export function planStepSubjects(
  plan: Pick<Plan, 'risk' | 'action_types'>,
  { risk, capabilities, action_type, operator_type }: PlanStep,
  environment: StepFacts['environment'],
): StepSubjects {
  return stepSubjects({
    environment,
    operator: { risk, capabilities, action_type: operator_type ?? action_type },
    declared: {
      risk: plan.risk,
      action_types: plan.action_types,
      action_type: operator_type === undefined ? undefined : action_type,
    },
  })
}
