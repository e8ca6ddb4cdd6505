import type { Invariant } from '../breach.ts'

/** There are no runs but those that somebody asked for: the schedule of the drill has no time that comes. */
export const nothingStartsByItself: Invariant = function* ({ started, runs }) {
  for (const { id, trigger } of started) {
    if (!runs.some((run) => run.id === id)) yield { says: `${id} was started by ${trigger}, and nobody asked for it` }
  }
}
