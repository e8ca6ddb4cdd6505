import type { LegOutcome } from '../contract.ts'
import type { GateStatus } from '../gate/types.ts'
import { type HistoryFacts, historyReaches, LONGEST_HISTORY, SHORT_HISTORY } from '../history.ts'
import { HOUR_MS } from '../time.ts'
import type { TerminalStatus } from './status.ts'

/** After this long the record is asked again; what is to wait for longer wakes up to a short history. */
const LONG_WAIT_MS = HOUR_MS
/** A delay up to this long is waited out as the leg said; a longer one stands on record. */
const SHORT_DELAY_MS = 15_000

/** What the move before has come to. */
export type MoveOutcome =
  | { kind: 'begun' }
  | LegOutcome
  /** the leg has failed for good */
  | { kind: 'failed'; failure: string }
  /** the leg was refused: the record knows no such run */
  | { kind: 'disowned' }
  /** what came back is no answer of a leg */
  | { kind: 'no_answer' }
  /** the record does not bear out what was asked of it */
  | { kind: 'refused' }
  /** the record was asked how long there is to wait; `status` is that of the gate */
  | { kind: 'read'; remaining_ms: number; status?: GateStatus }
  | { kind: 'waited' }
  | { kind: 'paused' }

/** What the workflow is to do now. */
export type Move =
  /** near: beside the workflow task */
  | { do: 'leg'; near: boolean }
  | { do: 'close'; failure: string | null }
  | { do: 'read_gate'; gate_id: string }
  | { do: 'read_delay' }
  /** until something comes, and no longer than `isWaitOver` says */
  | { do: 'wait'; for_ms: number; summary: string }
  /** before the record is asked again */
  | { do: 'pause' }
  | { do: 'go_on_anew' }
  | { do: 'give_up' }
  | { do: 'end'; status: TerminalStatus }

/** What the execution knows, beside what its last move came to. */
export interface RunKnown {
  /** the run was told to stop; the record knows, and says how it ends */
  cancelled: boolean
  /** something was decided, or the run was woken, since the record was last asked what there is to wait for */
  woken: boolean
  /** nobody waits for an answer of this execution */
  idle: boolean
  /** gates that ended while this execution lives, as the record said */
  ended: ReadonlyMap<string, GateStatus>
  history: HistoryFacts
}

type Wait = {
  summary: string
  /** it has been waited at least once */
  waited: boolean
  /** at a history of this length the wait goes on in a new execution; null: the wait is too short for that */
  history: number | null
} & ({ for: 'gate'; gate_id: string } | { for: 'delay'; on_record: boolean })

/** Where a run stands between its moves. */
export interface RunPlace {
  /** the next leg is tried beside the workflow task: the first at most, as the task of a later one may hold a decision that the engine would lose with it */
  near: boolean
  wait: Wait | null
}

export interface NextMove {
  place: RunPlace
  move: Move
}

/** What a run does next: legs, the waits between them, and its end. What it may do is read from the record, never decided here. */
export function nextMove(place: RunPlace, outcome: MoveOutcome, known: RunKnown): NextMove {
  switch (outcome.kind) {
    case 'begun':
    case 'yielded':
    case 'stopped':
    case 'paused':
      return goOn(place, known)
    case 'closed':
      return { place, move: { do: 'end', status: outcome.status } }
    case 'cancelling':
      return { place, move: { do: 'close', failure: null } }
    case 'failed':
      return { place, move: { do: 'close', failure: outcome.failure } }
    case 'disowned':
      return { place, move: { do: 'give_up' } }
    case 'no_answer':
    case 'refused':
      return pause(place)
    case 'parked': {
      const { gate_id, step } = outcome
      return look(place, { for: 'gate', gate_id, ...fresh(`approval of ${step}`) }, known)
    }
    case 'delayed': {
      const { delay_ms, reason } = outcome
      const wait: Wait = { for: 'delay', on_record: delay_ms > SHORT_DELAY_MS, ...fresh(reason) }
      return wait.on_record || known.cancelled ? look(place, wait, known) : waitFor(place, wait, delay_ms, known)
    }
    case 'read': {
      const { remaining_ms, status } = outcome
      if (status === undefined) return waitFor(place, place.wait, remaining_ms, known)
      return waitFor(place, place.wait, status === 'open' ? Math.max(1, remaining_ms) : 0, known)
    }
    case 'waited': {
      if (place.wait === null) return pause(place)
      // whoever was answered in this execution has woken it; nobody is left between the two
      if (!known.woken && isWaitOver(place, known)) return { place, move: { do: 'go_on_anew' } }
      return look(place, { ...place.wait, waited: true }, known)
    }
  }
}

/** Whether the wait under way ends before its time. */
export function isWaitOver({ wait }: RunPlace, known: RunKnown): boolean {
  if (known.woken) return true
  return wait !== null && wait.history !== null && known.idle && historyReaches(wait.history, known.history)
}

const fresh = (summary: string) => ({ summary, waited: false, history: null })

const pause = (place: RunPlace): NextMove => ({ place: { ...place, wait: null }, move: { do: 'pause' } })

function goOn(place: RunPlace, known: RunKnown): NextMove {
  const at: RunPlace = { near: false, wait: null }
  if (historyReaches(LONGEST_HISTORY, known.history)) return { place: at, move: { do: 'go_on_anew' } }
  // the record knows that it is being cancelled, and refuses whatever would begin
  if (known.cancelled) return { place: at, move: { do: 'close', failure: null } }
  return { place: at, move: { do: 'leg', near: place.near } }
}

/** Before a wait and after each part of it; whatever was decided, the record is asked again. */
function look(place: RunPlace, wait: Wait, known: RunKnown): NextMove {
  if (known.cancelled) return over(place, { ...wait, waited: true }, known)
  const at: RunPlace = { ...place, wait }
  if (wait.for === 'gate')
    return known.ended.has(wait.gate_id)
      ? over(place, wait, known)
      : { place: at, move: { do: 'read_gate', gate_id: wait.gate_id } }
  return wait.on_record ? { place: at, move: { do: 'read_delay' } } : over(place, wait, known)
}

function waitFor(place: RunPlace, wait: Wait | null, left_ms: number, known: RunKnown): NextMove {
  if (wait === null) return pause(place)
  if (left_ms === 0) return over(place, wait, known)
  const longest = left_ms > LONG_WAIT_MS ? SHORT_HISTORY : LONGEST_HISTORY
  return {
    place: { ...place, wait: { ...wait, history: left_ms > SHORT_DELAY_MS ? longest : null } },
    move: { do: 'wait', for_ms: Math.min(left_ms, LONG_WAIT_MS), summary: wait.summary },
  }
}

function over(place: RunPlace, wait: Wait, known: RunKnown): NextMove {
  // the record knows of no such delay
  if (wait.for === 'delay') return wait.waited ? goOn(place, known) : pause(place)
  const at: RunPlace = { ...place, wait: null }
  // the record says how a cancellation ends, whatever became of the gate
  const status = known.cancelled ? undefined : known.ended.get(wait.gate_id)
  return status === undefined || status === 'open' || status === 'approved'
    ? goOn(at, known)
    : { place: at, move: { do: 'end', status } }
}
