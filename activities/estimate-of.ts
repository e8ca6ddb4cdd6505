import { costOf } from '#core/budget/charge.ts'
import { type MicroUsd, totalCost } from '#core/money.ts'
import { OperatorError } from '#core/operator.ts'
import { foreseeAsk } from './step-models.ts'
import type { JudgedWork } from './step-work.ts'

/** What one execution may cost, as people are told; of a step that asks a model, its first call. */
export function estimateOf(work: JudgedWork): MicroUsd {
  const { operator, input } = work.judged
  const estimated = totalCost(costOf(operator.estimate?.(input)))
  if (operator.asks === undefined) return estimated
  try {
    return estimated + foreseeAsk(work, operator.asks(input)).worst_case_micro_usd
  } catch (error) {
    // nothing is asked where nothing is bound
    if (error instanceof OperatorError) return estimated
    throw error
  }
}
