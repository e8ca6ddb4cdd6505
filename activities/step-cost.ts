import { type Cost, type MicroUsd, NO_COST, totalCost } from '#core/money.ts'

export function costOf(partial: Partial<Cost> | undefined): Cost {
  return { ...NO_COST, ...partial }
}

/** What is charged: never more than was reserved, so that no cap is overshot. The excess is reported as an overrun. */
export function chargeable(spent: Cost, reserved: MicroUsd): { cost: Cost; overrun: MicroUsd } {
  const overrun = Math.max(0, totalCost(spent) - reserved)
  if (overrun === 0) return { cost: spent, overrun }
  let left = reserved
  const cost = { ...NO_COST }
  for (const kind of ['llm', 'gpu', 'storage'] as const) {
    cost[kind] = Math.min(spent[kind], left)
    left -= cost[kind]
  }
  return { cost, overrun }
}
