/**
 * Joins reads (of one key, where they have one): anyone who asks while a read is under way is served by the next one, together with all
 * others who do. An answer is never older than its question.
 */
export function coalesced<Key extends [string?], Value>(
  read: (...key: Key) => Promise<Value>,
): (...key: Key) => Promise<Value> {
  const underWay = new Map<string | undefined, { current: Promise<unknown>; next: Promise<Value> | undefined }>()

  function begin(...key: Key): Promise<Value> {
    const current = read(...key)
    underWay.set(key[0], { current, next: undefined })
    // a read that waits begins in a moment: a caller until then joins it
    const done = () => {
      const flight = underWay.get(key[0])
      if (flight?.current === current && flight.next === undefined) underWay.delete(key[0])
    }
    current.then(done, done)
    return current
  }

  return (...key) => {
    const flight = underWay.get(key[0])
    if (flight === undefined) return begin(...key)
    flight.next ??= flight.current.then(
      () => begin(...key),
      () => begin(...key),
    )
    return flight.next
  }
}
