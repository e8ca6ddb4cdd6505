import type { Charge } from '#core/budget/charge.ts'
import type { JsonObject } from '#core/json-pointer.ts'
import { NO_COST } from '#core/money.ts'
import type { StepSettlement } from '#store/run-patches.ts'

/** An attempt that has ended, with what it is charged. */
export interface Attempt {
  number: number
  charge: Charge
  /** what the operator logged, line by line */
  log?: JsonObject[]
}

/** What nothing was reserved for: a delay, a dry run. */
export const FREE: Charge = { cost: NO_COST, overrun: 0, basis: 'estimate' }

/** The charge as a settlement says it: without a report the record charges all that it holds for the attempt. */
export function settledCharge({ cost, overrun, basis }: Charge): Partial<StepSettlement> {
  if (basis === 'estimate') return {}
  return {
    llm_micro_usd: cost.llm,
    gpu_micro_usd: cost.gpu,
    storage_micro_usd: cost.storage,
    overrun_micro_usd: overrun,
  }
}
