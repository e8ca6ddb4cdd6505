import { type HistoryFacts, historyReaches, LONGEST_HISTORY, SHORT_HISTORY } from '../history.ts'
import { HOUR_MS } from '../time.ts'
import type { AdvanceOutcome } from './contract.ts'

/** The record is read again after this long, whatever it said. */
const LONGEST_WAIT_MS = HOUR_MS
/** A wait up to this long is not worth a new execution. */
const SHORT_WAIT_MS = 15_000

export type NextLook =
  | { do: 'wait'; for_ms: number }
  /** a new execution with a short history reads the record again */
  | { do: 'go_on_anew' }

/** How a pipeline's workflow comes to its next look at the record. */
export function nextLook({ for_ms }: Extract<AdvanceOutcome, { kind: 'wait' }>, history: HistoryFacts): NextLook {
  const isLong = for_ms === null || for_ms > SHORT_WAIT_MS
  if (historyReaches(isLong ? SHORT_HISTORY : LONGEST_HISTORY, history)) return { do: 'go_on_anew' }
  return { do: 'wait', for_ms: Math.min(for_ms ?? LONGEST_WAIT_MS, LONGEST_WAIT_MS) }
}
