import { planActionTypes } from '../plan/estimate-plan.ts'
import type { Plan, PlanStep } from '../plan/types.ts'
import type { Policy } from './layer.ts'
import { type StepFacts, type StepSubjects, stepSubjects } from './step-subjects.ts'
import { highestRisk, type PolicySubject, type Risk } from './types.ts'

/**
 * A whole plan at admission: the union of the template and all its steps, with one subject for each risk that occurs in it. Only
 * `deny` acts on it; everything else waits for its step.
 */
export function planSubjects(
  plan: Pick<Plan, 'risk' | 'action_types' | 'capabilities' | 'steps'>,
  environment: { name: string; class: string },
): [PolicySubject, ...PolicySubject[]] {
  const { capabilities, steps } = plan
  const action_types = planActionTypes(plan)
  const subject = (risk: PolicySubject['risk']): PolicySubject => ({
    environment: environment.name,
    environment_class: environment.class,
    risk,
    action_types,
    capabilities,
  })
  const others = new Set(steps.map((step) => step.risk))
  others.delete(plan.risk)
  return [subject(plan.risk), ...[...others].map(subject)]
}

/** The risk of a plan as people are shown it: the highest that its template or one of its operators declares. */
export function planRisk({ risk, steps }: Pick<Plan, 'risk' | 'steps'>): Risk {
  return highestRisk(risk, ...steps.map((step) => step.risk))
}

/** Returns the policy subjects of a plan's step, as far as they are known before inputs are rendered. */
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

/** Returns a policy without the rules that let through; empty when none remain. */
export function askingOnly(policy: Policy): Policy[] {
  const rules = policy.rules.filter((rule) => rule.effect !== 'allow_auto')
  return rules.length === 0 ? [] : [{ ...policy, rules }]
}
