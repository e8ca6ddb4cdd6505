import { costOf } from '#core/budget/charge.ts'
import { type MicroUsd, totalCost } from '#core/money.ts'
import { OperatorError } from '#core/operator.ts'
import { foreseeAsk } from './step-models.ts'
import type { JudgedWork } from './work.ts'

/** What one execution may cost, as people are told; of a step that asks a model, its first call. */
export async function estimateOf(work: JudgedWork): Promise<MicroUsd> {
  const { operator, input } = work.judged
  const estimated = totalCost(costOf(operator.estimate?.(input)))
  if (operator.asks === undefined) return estimated
  try {
    const { worst_case_micro_usd } = await foreseeAsk(work, operator.asks(input).prompt)
    return estimated + worst_case_micro_usd
  } catch (error) {
    // nothing is asked where nothing is bound
    if (error instanceof OperatorError) return estimated
    throw error
  }
}
