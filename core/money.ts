/** Integer micro-dollars (1 USD = 1,000,000). Always a safe integer. */
export type MicroUsd = number

export const MICRO_PER_USD = 1_000_000

/** Dollars to micro-dollars, rounded up once, so that a fraction of a micro-dollar is never given away. */
export function microFromUsd(usd: number): MicroUsd {
  const micro = Math.ceil(Number((usd * MICRO_PER_USD).toFixed(6)))
  if (!Number.isSafeInteger(micro)) throw new RangeError(`amount out of range: ${usd} USD`)
  return micro
}

/** A cap in micro-dollars, rounded down, so that no fraction of a micro-dollar is ever beyond it. */
export function capFromUsd(usd: number): MicroUsd {
  return Math.floor(Number((usd * MICRO_PER_USD).toFixed(6)))
}

/** Micro-dollars to dollars with at most six decimals, for API records. */
export function usdFromMicro(micro: MicroUsd): number {
  return micro / MICRO_PER_USD
}

/** Micro-dollars to a decimal string, for audit events: canonical JSON numbers are doubles. */
export function usdText(micro: MicroUsd): string {
  const sign = micro < 0 ? '-' : ''
  const digits = String(Math.abs(micro)).padStart(7, '0')
  return `${sign}${digits.slice(0, -6)}.${digits.slice(-6)}`
}

/** The three kinds of cost that a run record shows (spec section 2). */
export type CostKind = 'llm' | 'gpu' | 'storage'
export type Cost = Record<CostKind, MicroUsd>
export const NO_COST: Cost = { llm: 0, gpu: 0, storage: 0 }

export function totalCost(cost: Cost): MicroUsd {
  return cost.llm + cost.gpu + cost.storage
}
