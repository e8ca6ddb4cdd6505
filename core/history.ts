/** The longest history; a workflow continues as new before its history reaches it. */
export const LONGEST_HISTORY = 2_000
/** A long wait begins only in a history of at most this length. */
export const SHORT_HISTORY = 200
/** A new execution needs this much to make progress, even with a shorter limit from a test. */
const LEAST_HISTORY = 20

/** The engine's facts about the history of an execution. */
export interface HistoryFacts {
  length: number
  /** the engine would have a new execution */
  suggested: boolean
  /** tests may set less */
  limit: number
}

/** Tells whether a workflow has to continue as new. */
export function historyReaches(limit: number, { length, suggested, limit: asked }: HistoryFacts): boolean {
  return suggested || length >= Math.max(LEAST_HISTORY, Math.min(limit, asked))
}
