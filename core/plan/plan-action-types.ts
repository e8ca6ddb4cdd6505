import type { Plan } from './types.ts'

/** All that a plan may turn out to be, as far as that is known before its inputs are rendered: what the template, its steps and their operators say. */
export function planActionTypes({ action_types, steps }: Pick<Plan, 'action_types' | 'steps'>): string[] {
  const ofSteps = steps.flatMap(({ action_type, operator_type }) =>
    operator_type === undefined ? [action_type] : [action_type, operator_type],
  )
  return [...new Set([...action_types, ...ofSteps])]
}
