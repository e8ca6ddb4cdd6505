import { usdFromMicro } from '../money.ts'
import type { OperatorCatalog } from '../operator-catalog.ts'
import type { Plan, PlanStep } from './types.ts'

/** What a run may cost in US dollars, all attempts included, before its inputs are rendered; null where that is not known. */
export function estimatePlan({ steps }: Pick<Plan, 'steps'>, operators: Pick<OperatorCatalog, 'get'>): number | null {
  let sum = 0
  for (const step of steps) {
    const cost = costOf(step, operators)
    if (cost === undefined) return null
    sum += cost * step.retry.max_attempts
  }
  return usdFromMicro(sum)
}

/** Micro-dollars of one attempt. A cost that is an expression is not known yet. */
function costOf(step: PlanStep, operators: Pick<OperatorCatalog, 'get'>): number | undefined {
  const operator = operators.get(step.operator)
  if (operator === undefined) return undefined
  try {
    const parts = Object.values(operator.estimate?.(step.with) ?? {})
    return parts.every((part) => Number.isSafeInteger(part)) ? parts.reduce((sum, part) => sum + part, 0) : undefined
  } catch {
    return undefined
  }
}
