/** A map that forgets what was not used for the longest time. */
export function createLru<Value>(max: number) {
  const entries = new Map<string, Value>()
  return (key: string, create: () => Value): Value => {
    const known = entries.get(key)
    const value = known ?? create()
    if (known !== undefined) entries.delete(key)
    else if (entries.size >= max) {
      const oldest = entries.keys().next()
      if (!oldest.done) entries.delete(oldest.value)
    }
    entries.set(key, value)
    return value
  }
}
