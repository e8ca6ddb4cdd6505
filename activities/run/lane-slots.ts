import { LANES, type Lane } from '#core/contract.ts'
import type { Clock } from '#core/time/time.ts'

/** Within this time after a slot is free the engine hands over the next execution of the lane's queue. */
const REFILL_MS = 100

export interface Slot {
  release(): void
}

export type Slots = ReturnType<typeof createSlots>

/**
 * The slots of one lane, which all executions of this worker share. The engine hands over as many executions as there are slots, and knows of no
 * others; a local execution takes a slot only when one is free and none of the lane's executions can be waiting for it.
 */
export function createSlots(limit: number, monotonic: Clock) {
  const waiting: (() => void)[] = []
  let taken = 0
  /** executions that the engine has handed over, at work or waiting */
  let handed = 0
  let line_until = Number.NEGATIVE_INFINITY

  /** While it has handed over all that it may, more may be waiting in its queue. */
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
      const admit = () => {
        signal.removeEventListener('abort', stop)
        resolve(true)
      }
      const stop = () => {
        waiting.splice(waiting.indexOf(admit), 1)
        resolve(false)
      }
      waiting.push(admit)
      signal.addEventListener('abort', stop, { once: true })
    })
  }

  return {
    /** Of a local execution: a slot at once, or none. */
    takeFree(): Slot | undefined {
      if (taken >= limit || monotonic() < line_until) return undefined
      taken += 1
      return { release: free }
    },

    /** Of an execution that was handed over, whose slot a local execution may hold for a moment. */
    async take(signal: AbortSignal): Promise<Slot | undefined> {
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
