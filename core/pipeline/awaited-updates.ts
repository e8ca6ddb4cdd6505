import { type HistoryFacts, historyReaches, LONGEST_HISTORY, SHORT_HISTORY } from '../history.ts'
import { HOUR_MS } from '../time/time.ts'
import type { AdvanceOutcome } from './contract.ts'
import { isOpen } from './pipeline-facts.ts'
import type { PipelineSnapshot } from './snapshot.ts'
import { isStepEnd } from './transitions.ts'
import type { PipelineDefinition } from './types.ts'

/** The record is read again after this long in any case. */
const LONGEST_WAIT_MS = HOUR_MS
/** A wait up to this long is not worth a new execution. */
const SHORT_WAIT_MS = 15_000

type NextEvaluation =
  | { do: 'wait'; for_ms: number }
  /** a new execution with a short history reads the record again */
  | { do: 'continue_as_new' }

/** Returns the event that triggers the next evaluation of a pipeline. */
export function nextEvaluation(
  { for_ms }: Extract<AdvanceOutcome, { kind: 'wait' }>,
  history: HistoryFacts,
): NextEvaluation {
  const isLong = for_ms === null || for_ms > SHORT_WAIT_MS
  if (historyReaches(isLong ? SHORT_HISTORY : LONGEST_HISTORY, history)) return { do: 'continue_as_new' }
  return { do: 'wait', for_ms: Math.min(for_ms ?? LONGEST_WAIT_MS, LONGEST_WAIT_MS) }
}

/** The updates that a pipeline needs from its runs, as long as they succeed. */
export interface AwaitedUpdates {
  /** the smallest number of updates that can change the pipeline */
  count: number
  /** true when the pipeline ends with them */
  ends: boolean
}

/** Returns one update where the next one may let another step begin, else as many as the nearest step needs, or as there are open runs. */
export function awaitedUpdates(
  definition: PipelineDefinition,
  { closing, steps, children }: Pick<PipelineSnapshot, 'closing' | 'steps' | 'children'>,
): AwaitedUpdates {
  const states = new Map(steps.map(({ id, state }) => [id, state]))
  const begun = steps.filter(({ state }) => state !== 'pending' && !isStepEnd(state))
  // runs of a list make room for others; what waits for something else than runs begins at any time
  const isPlain = begun.every(({ state, items }) => state === 'running' && items === null)
  if (closing !== null || !isPlain) return { count: 1, ends: false }
  const open = new Set(children.filter(isOpen).map(({ step_id }) => step_id))
  const pending = definition.steps.filter(({ id }) => states.get(id) === 'pending')
  const next = pending
    .filter(({ needs }) => needs.every((need) => states.get(need) !== 'pending'))
    .map(({ needs }) => needs.filter((need) => open.has(need)).length)
  return { count: Math.max(1, Math.min(open.size, ...next)), ends: pending.length === 0 && open.size > 0 }
}

/** Returns the time of the next evaluation without an event; null: never. */
export function wakeAt({ steps, children }: Pick<PipelineSnapshot, 'steps' | 'children'>): number | null {
  const times = [
    ...steps.flatMap(({ state, fire_at_ms, deadline_ms, paused_at_ms, timed_out }) => {
      if (state === 'waiting_timer') return [fire_at_ms]
      return isStepEnd(state) || paused_at_ms !== null || timed_out ? [] : [deadline_ms]
    }),
    ...children.flatMap((child) => (isOpen(child) ? [child.not_before_ms] : [])),
  ].filter((time) => time !== null)
  return times.length === 0 ? null : Math.min(...times)
}
