/** How much less the tenth place counts than the first; the constant of the paper that proposed it. */
const DAMPING = 60

/** Several orders of the same things as one: reciprocal rank fusion. What stands high in any, or in several, stands high. */
export function fuseRanks<Item>(
  orders: readonly (readonly Item[])[],
  keyOf: (item: Item) => string,
): { item: Item; score: number }[] {
  const found = new Map<string, { item: Item; score: number }>()
  for (const order of orders)
    for (const [index, item] of order.entries()) {
      const key = keyOf(item)
      const before = found.get(key)
      found.set(key, { item: before?.item ?? item, score: (before?.score ?? 0) + 1 / (DAMPING + index + 1) })
    }
  return [...found.values()].sort((a, b) => b.score - a.score)
}
