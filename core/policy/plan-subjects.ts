import { planActionTypes } from '../plan/plan-action-types.ts'
import type { Plan } from '../plan/types.ts'
import type { PolicySubject } from './types.ts'

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
