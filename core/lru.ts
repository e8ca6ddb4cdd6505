/** A map of limited size. */
export interface Lru<Key, Value> {
  get(key: Key): Value | undefined
  set(key: Key, value: Value): void
  delete(key: Key): void
}

/** A map that drops its least recently used entries. Every cache that grows with outside input uses it. */
export function createLru<Key, Value>(max: number): Lru<Key, Value> {
  const entries = new Map<Key, Value>()
  return {
    get(key) {
      const value = entries.get(key)
      if (value === undefined) return undefined
      entries.delete(key)
      entries.set(key, value)
      return value
    },
    set(key, value) {
      entries.delete(key)
      const [oldest] = entries.size < max ? [] : entries.keys()
      if (oldest !== undefined) entries.delete(oldest)
      entries.set(key, value)
    },
    delete: (key) => void entries.delete(key),
  }
}
