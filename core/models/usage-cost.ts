import type { MicroUsd } from '../money.ts'
import type { ModelUsage } from './chat.ts'
import type { ModelPrices } from './model.ts'

const PER_MILLION = 1_000_000n

/** Returns the cost of a call by the provider's report, rounded up once; undefined where the report is implausible. */
export function usageCost(
  { input, output, cached_input = input, cache_write = input }: ModelPrices,
  usage: ModelUsage | undefined,
  answered: boolean,
): MicroUsd | undefined {
  if (usage === undefined || !Object.values(usage).every(isCount)) return undefined
  if (usage.cached + usage.cache_write > usage.input) return undefined
  // a prompt has tokens, and so has an answer
  if (usage.input === 0 || (answered && usage.output === 0)) return undefined
  return priceOf([
    [usage.input - usage.cached - usage.cache_write, input],
    [usage.cached, cached_input],
    [usage.cache_write, cache_write],
    [usage.output, output],
  ])
}

/** Tokens at their prices per million. Exact: a product of both is larger than a double holds. */
export function priceOf(parts: readonly (readonly [tokens: number, price: MicroUsd])[]): MicroUsd {
  const total = parts.reduce((sum, [tokens, price]) => sum + BigInt(tokens) * BigInt(price), 0n)
  return Number((total + PER_MILLION - 1n) / PER_MILLION)
}

function isCount(tokens: number): boolean {
  return Number.isSafeInteger(tokens) && tokens >= 0 && tokens <= 1_000_000_000
}
