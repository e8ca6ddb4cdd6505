/** The longest history; a workflow goes on in a new execution before its own reaches it. */
export const LONGEST_HISTORY = 2_000
/** What is to wait for long wakes up to a history of at most this length. */
export const SHORT_HISTORY = 200
/** What a new execution has to get somewhere, no matter what a test asks for. */
const LEAST_HISTORY = 20

/** What the engine says of the history of an execution. */
export interface HistoryFacts {
  length: number
  /** the engine would have a new execution */
  suggested: boolean
  /** a test may ask for less */
  limit: number
}

/** Whether a workflow is to go on in a new execution. */
export function historyReaches(limit: number, { length, suggested, limit: asked }: HistoryFacts): boolean {
  return suggested || length >= Math.max(LEAST_HISTORY, Math.min(limit, asked))
}
