/** In the order in which everybody locks fingerprints: no two batches lock the same rows in opposite order. */
export function inLockOrder<Item>(items: readonly Item[], fingerprintOf: (item: Item) => string): Item[] {
  return [...items].sort((a, b) => {
    const [left, right] = [fingerprintOf(a), fingerprintOf(b)]
    return left < right ? -1 : left > right ? 1 : 0
  })
}
