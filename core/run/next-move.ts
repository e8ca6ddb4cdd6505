import type { AdvanceOutcome } from '../contract.ts'
import type { GateStatus } from '../gate/types.ts'
import { type HistoryFacts, historyReaches, LONGEST_HISTORY, SHORT_HISTORY } from '../history.ts'
import { HOUR_MS } from '../time/time.ts'
import type { TerminalStatus } from './status.ts'

/** After this long the record is asked again; what is to wait for longer wakes up to a short history. */
const LONG_WAIT_MS = HOUR_MS
/** A delay up to this long is waited out as the execution said; a longer one is recorded. */
const SHORT_DELAY_MS = 15_000

/** What the move before has come to. */
export type MoveOutcome =
  | { kind: 'begun' }
  | AdvanceOutcome
  /** the execution has failed for good */
  | { kind: 'failed'; failure: string }
  /** the execution was refused: the record knows no such run */
  | { kind: 'unknown_run' }
  /** what came back is no answer of an execution */
  | { kind: 'no_answer' }
  /** the record does not bear out what was asked of it */
  | { kind: 'refused' }
  /** the record was asked how long there is to wait; `status` is that of the gate */
  | { kind: 'read'; remaining_ms: number; status?: GateStatus }
  | { kind: 'waited' }
  | { kind: 'paused' }

/** What the workflow is to do now. */
export type Move =
  /** local: beside the workflow task */
  | { do: 'advance'; local: boolean }
  | { do: 'close'; failure: string | null }
  | { do: 'read_gate'; gate_id: string }
  | { do: 'read_delay' }
  /** until something comes, and no longer than `isWaitOver` says */
  | { do: 'wait'; for_ms: number; summary: string }
  /** before the record is asked again */
  | { do: 'pause' }
  | { do: 'continue_as_new' }
  | { do: 'give_up' }
  | { do: 'end'; status: TerminalStatus }

/** What the execution knows, beside what its last move came to. */
export interface RunKnown {
  /** the run was told to stop; the record knows, and says how it ends */
  cancelled: boolean
  /** something was decided, or the run was woken, since the record was last asked what there is to wait for */
  woken: boolean
  /** no Update waits for an answer of this execution */
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

/** The state of a run between its moves. */
export interface RunPosition {
  /** the next execution is local; only the first may be: the workflow task of a later one may hold a decision, and lose it */
  local: boolean
  wait: Wait | null
}

export interface NextMove {
  position: RunPosition
  move: Move
}

/** What a run does next: executions, the waits between them, and its end. What it may do is read from the record, never decided here. */
export function nextMove(position: RunPosition, outcome: MoveOutcome, known: RunKnown): NextMove {
  switch (outcome.kind) {
    case 'begun':
    case 'yielded':
    case 'stopped':
    case 'paused':
      return goOn(position, known)
    case 'closed':
      return { position, move: { do: 'end', status: outcome.status } }
    case 'cancelling':
      return { position, move: { do: 'close', failure: null } }
    case 'failed':
      return { position, move: { do: 'close', failure: outcome.failure } }
    case 'unknown_run':
      return { position, move: { do: 'give_up' } }
    case 'no_answer':
    case 'refused':
      return pause(position)
    case 'parked': {
      const { gate_id, step } = outcome
      return ask(position, { for: 'gate', gate_id, ...fresh(`approval of ${step}`) }, known)
    }
    case 'delayed': {
      const { delay_ms, reason } = outcome
      const wait: Wait = { for: 'delay', on_record: delay_ms > SHORT_DELAY_MS, ...fresh(reason) }
      return wait.on_record || known.cancelled ? ask(position, wait, known) : waitFor(position, wait, delay_ms, known)
    }
    case 'read': {
      const { remaining_ms, status } = outcome
      if (status === undefined) return waitFor(position, position.wait, remaining_ms, known)
      return waitFor(position, position.wait, status === 'open' ? Math.max(1, remaining_ms) : 0, known)
    }
    case 'waited': {
      if (position.wait === null) return pause(position)
      // a command that was answered in this execution has woken it, so that none is lost between the two
      if (!known.woken && isWaitOver(position, known)) return { position, move: { do: 'continue_as_new' } }
      return ask(position, { ...position.wait, waited: true }, known)
    }
  }
}

/** Whether the wait under way ends before its time. */
export function isWaitOver({ wait }: RunPosition, known: RunKnown): boolean {
  if (known.woken) return true
  return wait !== null && wait.history !== null && known.idle && historyReaches(wait.history, known.history)
}

const fresh = (summary: string) => ({ summary, waited: false, history: null })

const pause = (position: RunPosition): NextMove => ({ position: { ...position, wait: null }, move: { do: 'pause' } })

function goOn(position: RunPosition, known: RunKnown): NextMove {
  const at: RunPosition = { local: false, wait: null }
  if (historyReaches(LONGEST_HISTORY, known.history)) return { position: at, move: { do: 'continue_as_new' } }
  // the record knows that it is being cancelled, and refuses every beginning
  if (known.cancelled) return { position: at, move: { do: 'close', failure: null } }
  return { position: at, move: { do: 'advance', local: position.local } }
}

/** Before a wait and after each part of it the record is asked again. */
function ask(position: RunPosition, wait: Wait, known: RunKnown): NextMove {
  if (known.cancelled) return over(position, { ...wait, waited: true }, known)
  const at: RunPosition = { ...position, wait }
  if (wait.for === 'gate')
    return known.ended.has(wait.gate_id)
      ? over(position, wait, known)
      : { position: at, move: { do: 'read_gate', gate_id: wait.gate_id } }
  return wait.on_record ? { position: at, move: { do: 'read_delay' } } : over(position, wait, known)
}

function waitFor(position: RunPosition, wait: Wait | null, left_ms: number, known: RunKnown): NextMove {
  if (wait === null) return pause(position)
  if (left_ms === 0) return over(position, wait, known)
  const longest = left_ms > LONG_WAIT_MS ? SHORT_HISTORY : LONGEST_HISTORY
  return {
    position: { ...position, wait: { ...wait, history: left_ms > SHORT_DELAY_MS ? longest : null } },
    move: { do: 'wait', for_ms: Math.min(left_ms, LONG_WAIT_MS), summary: wait.summary },
  }
}

function over(position: RunPosition, wait: Wait, known: RunKnown): NextMove {
  // the record knows of no such delay
  if (wait.for === 'delay') return wait.waited ? goOn(position, known) : pause(position)
  const at: RunPosition = { ...position, wait: null }
  // the record says how a cancellation ends, not the gate
  const status = known.cancelled ? undefined : known.ended.get(wait.gate_id)
  return status === undefined || status === 'open' || status === 'approved'
    ? goOn(at, known)
    : { position: at, move: { do: 'end', status } }
}
