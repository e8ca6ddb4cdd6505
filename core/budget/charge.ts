import { type Cost, type MicroUsd, NO_COST, totalCost } from '../money.ts'

const KINDS = ['llm', 'gpu', 'storage'] as const

/** What one attempt costs its run, and who says so: the operator, or nobody. */
export interface Charge {
  cost: Cost
  /** what the operator says it spent beyond its reservation: on record, and never charged */
  overrun: MicroUsd
  basis: 'reported' | 'estimate'
}

export function costOf(partial: Partial<Cost> | undefined): Cost {
  return { ...NO_COST, ...partial }
}

/**
 * What an attempt is charged: what its operator reports, else all that was reserved for it, because it may have been spent.
 * Never more than was reserved, so that no cap is overshot. A report that is no amount of money is none.
 */
export function chargeOf(reserved: Cost, reported: Partial<Cost> | undefined): Charge {
  const spent = reported === undefined ? undefined : wholeAmounts(costOf(reported))
  if (spent === undefined) return { cost: reserved, overrun: 0, basis: 'estimate' }
  let left = totalCost(reserved)
  const overrun = Math.max(0, totalCost(spent) - left)
  const cost = { ...NO_COST }
  for (const kind of KINDS) {
    cost[kind] = Math.min(spent[kind], left)
    left -= cost[kind]
  }
  return { cost, overrun, basis: 'reported' }
}

/** Fractions are rounded up; undefined where one is no amount that the ledger can hold. */
function wholeAmounts(cost: Cost): Cost | undefined {
  const whole = { llm: Math.ceil(cost.llm), gpu: Math.ceil(cost.gpu), storage: Math.ceil(cost.storage) }
  const sound = KINDS.every((kind) => cost[kind] >= 0) && Number.isSafeInteger(totalCost(whole))
  return sound ? whole : undefined
}
