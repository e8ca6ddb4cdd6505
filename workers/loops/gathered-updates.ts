import { createLru } from '#core/lru.ts'
import type { AwaitedUpdates } from '#core/pipeline/awaited-updates.ts'

/** Delay between two evaluations of a pipeline; updates meanwhile are handled together. */
const REST_MS = 30
/** The longest that an update waits for others without which nothing follows from it. */
const GATHER_MS = 200
/** Of how many pipelines the last evaluation is remembered; updates of others are handled at once. */
const REMEMBERED = 10_000

interface LastEvaluation extends AwaitedUpdates {
  at: number
  /** when the first update since then was found */
  updates_at?: number
}

/** The pending updates of pipelines, and how long they wait, so that one evaluation handles several. */
export function createGatheredUpdates(now: () => number) {
  const evaluations = createLru<string, LastEvaluation>(REMEMBERED)

  return {
    /** An evaluation in this process has ended. */
    evaluated(id: string, awaited: AwaitedUpdates): void {
      evaluations.set(id, { ...awaited, at: now() })
    },

    /** Returns the delay until a pipeline's updates are handled, by their number. */
    waitOf(id: string, updates: number): number {
      const last = evaluations.get(id)
      if (last === undefined) return 0
      last.updates_at ??= now()
      if (last.count === 1) return Math.max(0, last.at + REST_MS - now())
      return updates >= last.count ? 0 : Math.max(0, last.updates_at + GATHER_MS - now())
    },

    /** Tells whether these are likely the last updates of a pipeline. */
    areLast(id: string, updates: number): boolean {
      const last = evaluations.get(id)
      return last?.ends === true && updates >= last.count
    },
  }
}

export type GatheredUpdates = ReturnType<typeof createGatheredUpdates>
