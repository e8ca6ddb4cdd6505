/** Weakens the difference between ranks; the constant of the paper that proposed it. */
const DAMPING = 60

/** Merges several rankings of the same items by reciprocal rank fusion. */
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

/** A vector of length 1, so that products compare directions; undefined where it has none. */
export function unitVector(vector: readonly number[]): number[] | undefined {
  const length = Math.sqrt(vector.reduce((sum, each) => sum + each * each, 0))
  return Number.isFinite(length) && length > 0 ? vector.map((each) => each / length) : undefined
}

/** Returns one bit for each dimension. Vectors that differ in few bits point in nearly the same direction, which is fast to test. */
export function signsOf(vector: readonly number[]): string {
  return vector.map((each) => (each > 0 ? '1' : '0')).join('')
}
