import type { AdvanceOutcome } from '#core/contract.ts'
import type { Clock } from '#core/time/time.ts'

const SHORTEST_MS = 500
/** A suspect holds other runs back no longer than this: once while it waits for those at work, and once while it is at work itself. */
const LONGEST_MS = 15_000

export type Suspects = ReturnType<typeof createSuspects>

/**
 * Runs that a process has ended with. This worker goes on with one of them at a time and begins nothing beside it: if the process ends as
 * well, it is known of which, and the others are not taken for the cause.
 */
export function createSuspects(monotonic: Clock) {
  let others = 0
  /** when the suspect at work began */
  let began: number | undefined
  /** since when a suspect waits for the other executions: it may end their process too */
  let asked: number | undefined

  const since = (then: number | undefined) => (then === undefined ? Number.POSITIVE_INFINITY : monotonic() - then)

  const mustWait = (suspect: boolean) =>
    suspect ? began !== undefined : since(began) < LONGEST_MS || since(asked) < LONGEST_MS

  /** The longer one is at work, the longer the others wait before they ask again. */
  function later(): Extract<AdvanceOutcome, { kind: 'delayed' }> {
    const delay_ms = Math.min(LONGEST_MS, Math.max(SHORTEST_MS, Math.round(since(began ?? asked) / 2)))
    return { kind: 'delayed', delay_ms, reason: 'another run that may have crashed a worker' }
  }

  /** Whether a suspect still waits for others at work to end. */
  function waitsForOthers(): boolean {
    if (others === 0) return false
    if (since(asked) > 2 * LONGEST_MS) asked = monotonic()
    return since(asked) < LONGEST_MS
  }

  return {
    later,

    /** Whether a run has to wait before it is taken. Most of the time it is not asked which kind of run it is. */
    async holds(isSuspect: () => Promise<boolean>): Promise<boolean> {
      const both = mustWait(true)
      return both === mustWait(false) ? both : mustWait(await isSuspect())
    },

    /** Has a run go on; a suspect only when it is the only one at work. */
    async watch(processesEnded: number, goOn: () => Promise<AdvanceOutcome>): Promise<AdvanceOutcome> {
      const suspect = processesEnded > 0
      if (mustWait(suspect) || (suspect && waitsForOthers())) return later()
      if (suspect) {
        began = monotonic()
        asked = undefined
      } else others += 1
      try {
        return await goOn()
      } finally {
        if (suspect) began = undefined
        else others -= 1
      }
    },
  }
}
