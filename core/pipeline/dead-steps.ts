import { compileExpression } from '../expression/compile-expression.ts'
import { createBudget, type EvaluationBudget } from '../expression/evaluation-budget.ts'
import type { Fault } from '../plan/fault.ts'
import type { StepSpec } from './bundle-file-schema.ts'

/** Cost limit of all conditions together that are evaluated without values. */
const MAX_UNITS = 100_000

/** Returns the steps that can never begin, with any inputs. `ordered` has each after those that it needs. */
export function deadSteps(ordered: readonly StepSpec[], place: (step: StepSpec) => Fault['path']): Fault[] {
  const dead = new Set<string>()
  const faults: Fault[] = []
  const budget = createBudget(MAX_UNITS)
  for (const step of ordered) {
    if (isNever(step.when, budget)) {
      dead.add(step.id)
      const message = `step ${step.id} never begins: its condition is always false; remove the step, or the condition`
      faults.push({ path: [...place(step), 'when'], message })
    } else if (step.when === undefined && step.needs.length > 0 && step.needs.every((id) => dead.has(id))) {
      dead.add(step.id)
      const message = `step ${step.id} never begins, because none of the steps it needs (${step.needs.join(', ')}) ever does`
      faults.push({ path: [...place(step), 'needs'], message })
    }
  }
  return faults
}

/** Tells whether a condition is false whatever its values are. */
function isNever(when: string | undefined, budget: EvaluationBudget): boolean {
  if (when === undefined) return false
  try {
    const { references, evaluate } = compileExpression(when)
    return references.length === 0 && evaluate({}, budget) === false
  } catch {
    // another check reports its faults; one that is too expensive to predict is evaluated at run time
    return false
  }
}
