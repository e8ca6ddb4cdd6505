import { useEffect, useState, useSyncExternalStore } from 'react'

const STILL_MS = 500

/** The value once it has stayed as it is for a while. */
export function useSettled<Value>(value: Value): Value {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = window.setTimeout(() => setSettled(value), STILL_MS)
    return () => window.clearTimeout(timer)
  }, [value])
  return settled
}

const TICK_MS = 1_000
const readers = new Set<() => void>()
let now = Date.now()
let timer: number | undefined

function tick(): void {
  now = Date.now()
  for (const read of readers) read()
}

/** One timer for all that show the time, however many rows a list has. */
function watchClock(read: () => void): () => void {
  readers.add(read)
  if (timer === undefined) {
    timer = window.setInterval(tick, TICK_MS)
    now = Date.now()
  }
  return () => {
    readers.delete(read)
    if (readers.size > 0) return
    window.clearInterval(timer)
    timer = undefined
  }
}

/** The time in ms, read again every second. */
export const useNow = (): number => useSyncExternalStore(watchClock, () => now)
