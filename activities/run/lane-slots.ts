import { LANES, type Lane } from '#core/contract.ts'
import type { Clock } from '#core/time.ts'

/** Within this time after a slot is free the engine hands over the next leg of the lane's line. */
const REFILL_MS = 100

export interface LegSlot {
  release(): void
}

export type LegSlots = ReturnType<typeof createLegSlots>

/**
 * The slots of one lane, which all legs of this worker share. The engine hands over as many legs as there are slots, and knows of no
 * others; a near leg takes a slot that is free and for which nobody may be standing in line, or none.
 */
export function createLegSlots(limit: number, monotonic: Clock) {
  const waiting: (() => void)[] = []
  let taken = 0
  /** legs that the engine has handed over, at work or waiting */
  let handed = 0
  let line_until = Number.NEGATIVE_INFINITY

  /** While it has handed over all that it may, more may stand in line behind that. */
  function noteLine(): void {
    if (handed >= limit) line_until = monotonic() + REFILL_MS
  }

  function free(): void {
    const next = waiting.shift()
    if (next === undefined) taken -= 1
    else next()
  }

  /** false when it is told to stop before its turn */
  function turn(signal: AbortSignal): Promise<boolean> {
    return new Promise((resolve) => {
      if (signal.aborted) return resolve(false)
      const go = () => {
        signal.removeEventListener('abort', stop)
        resolve(true)
      }
      const stop = () => {
        waiting.splice(waiting.indexOf(go), 1)
        resolve(false)
      }
      waiting.push(go)
      signal.addEventListener('abort', stop, { once: true })
    })
  }

  return {
    /** Of a near leg: a slot at once, or none. */
    takeFree(): LegSlot | undefined {
      if (taken >= limit || monotonic() < line_until) return undefined
      taken += 1
      return { release: free }
    },

    /** Of a leg that was handed over, whose slot a near leg may hold for a moment. */
    async take(signal: AbortSignal): Promise<LegSlot | undefined> {
      handed += 1
      noteLine()
      if (taken < limit) taken += 1
      else if (!(await turn(signal))) {
        handed -= 1
        return undefined
      }
      return {
        release() {
          noteLine()
          handed -= 1
          free()
        },
      }
    },
  }
}

/** The lane of a task queue; the ledger has none. */
export function laneOfQueue(taskQueue: string): Lane | undefined {
  return LANES.find((lane) => lane === taskQueue)
}
