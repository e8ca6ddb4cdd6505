import type { LegOutcome } from '#core/contract.ts'
import type { Clock } from '#core/time.ts'

const SHORTEST_MS = 500
const LONGEST_MS = 15_000

export type Suspects = ReturnType<typeof createSuspects>

/**
 * Runs that a process has ended with. This worker goes on with one of them at a time: if it ends as well, it is known of which, and the
 * others are not taken for the cause.
 */
export function createSuspects(monotonic: Clock) {
  let since: number | undefined

  /** The longer one is at work, the longer the others wait before they ask again. */
  function later(): Extract<LegOutcome, { kind: 'delayed' }> {
    const delay_ms = Math.min(LONGEST_MS, Math.max(SHORTEST_MS, Math.round((monotonic() - (since ?? 0)) / 2)))
    return { kind: 'delayed', delay_ms, reason: 'another run that a process has ended with' }
  }

  return {
    busy: () => since !== undefined,
    later,

    /** Has a run go on; a suspect only when it is the only one at work. */
    async watch(processesEnded: number, goOn: () => Promise<LegOutcome>): Promise<LegOutcome> {
      if (processesEnded === 0) return await goOn()
      if (since !== undefined) return later()
      since = monotonic()
      try {
        return await goOn()
      } finally {
        since = undefined
      }
    },
  }
}
