import { type Cost, type MicroUsd, NO_COST, totalCost } from '../money.ts'

const KINDS = ['llm', 'gpu', 'storage'] as const

/** The cost of one attempt for its run, and its source: the operator's report, or none. */
export interface Charge {
  cost: Cost
  /** the reported excess over the reservation: recorded, and never charged */
  overrun: MicroUsd
  basis: 'reported' | 'estimate'
}

export function costOf(partial: Partial<Cost> | undefined): Cost {
  return { ...NO_COST, ...partial }
}

/**
 * Returns the charge of an attempt: the reported cost, else the whole reservation, because it may have been spent. Never more than was
 * reserved, so that no cap is exceeded. A report that is no amount of money is ignored.
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

/** Rounds fractions up; undefined for an amount that the ledger cannot hold. */
function wholeAmounts(cost: Cost): Cost | undefined {
  const whole = { llm: Math.ceil(cost.llm), gpu: Math.ceil(cost.gpu), storage: Math.ceil(cost.storage) }
  const sound = KINDS.every((kind) => cost[kind] >= 0) && Number.isSafeInteger(totalCost(whole))
  return sound ? whole : undefined
}
