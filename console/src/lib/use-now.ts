import { useEffect, useState } from 'react'

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

/** The time, told again every second. */
export function useNow(): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = window.setInterval(() => setNow(Date.now()), TICK_MS)
    return () => window.clearInterval(timer)
  }, [])
  return now
}
