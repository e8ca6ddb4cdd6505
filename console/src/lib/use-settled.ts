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
