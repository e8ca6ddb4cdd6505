import type { AuditProblem } from './problem.ts'

const FIRST_RETRY_MS = 1_000
const LAST_RETRY_MS = 15_000

/** The role of a process towards the chain, and what it must repair before it writes again. */
export interface WriterState<Sink> {
  leadership: Leadership<Sink>
  /** a write failed: its remains in the file are read before anything is repeated */
  failing: boolean
  /** a problem that could not be noted in the database: it is noted before anything is written again */
  unnoted: AuditProblem | undefined
}

export type Leadership<Sink> =
  /** another process writes the chain, or none does yet */
  | { is: 'following' }
  /** the one writer; records up to `marked_to` are in the file and marked in the database */
  | { is: 'leading'; sink: Sink; marked_to: number }
  /** file and database disagree: nothing is acknowledged; checked again after `retry_at` */
  | { is: 'refused'; problem: AuditProblem; retry_at: number; wait_ms: number }

export type WriterEvent<Sink> =
  /** the log was opened, and agrees with the database up to `seq` */
  | { type: 'leads'; sink: Sink; seq: number }
  /** another process leads */
  | { type: 'follows' }
  /** this process lost the right to write to this sink */
  | { type: 'lost'; sink: Sink }
  | { type: 'marked'; seq: number }
  | { type: 'failed' }
  /** the remains of a failed write are known */
  | { type: 'settled' }
  | { type: 'refused'; problem: AuditProblem; now: number }
  | { type: 'noted' }
  | { type: 'unnoted'; problem: AuditProblem }

export function follower<Sink>(): WriterState<Sink> {
  return { leadership: { is: 'following' }, failing: false, unnoted: undefined }
}

/** Tells whether a process may try to lead: a refusal blocks that for a while. */
export function mayLead({ leadership }: WriterState<unknown>, now: number): boolean {
  return leadership.is !== 'refused' || now >= leadership.retry_at
}

export function isHealthy<Sink>({ leadership, failing }: WriterState<Sink>, works: (sink: Sink) => boolean): boolean {
  return leadership.is === 'leading' ? works(leadership.sink) && !failing : leadership.is === 'following'
}

/** Returns the next state of a writer. A process leads only by opening the log, and a refusal ends only by that or by another leader. */
export function nextWriter<Sink>(state: WriterState<Sink>, event: WriterEvent<Sink>): WriterState<Sink> {
  const { leadership } = state
  switch (event.type) {
    case 'leads':
      return { ...state, failing: false, leadership: { is: 'leading', sink: event.sink, marked_to: event.seq } }
    case 'follows':
      return { ...state, leadership: { is: 'following' } }
    case 'lost':
      return leadership.is === 'leading' && leadership.sink === event.sink
        ? { ...state, leadership: { is: 'following' } }
        : state
    case 'marked':
      return leadership.is === 'leading'
        ? { ...state, leadership: { ...leadership, marked_to: Math.max(leadership.marked_to, event.seq) } }
        : state
    case 'failed':
      return { ...state, failing: true }
    case 'settled':
      return { ...state, failing: false }
    case 'refused':
      return { ...state, leadership: refusedAfter(leadership, event.problem, event.now) }
    case 'noted':
      return { ...state, unnoted: undefined }
    case 'unnoted':
      return { ...state, unnoted: event.problem }
  }
}

/** A problem under a leader is checked again at once: reopening the log may heal it. */
function refusedAfter(before: Leadership<unknown>, problem: AuditProblem, now: number): Leadership<never> {
  const wait_ms = before.is === 'refused' ? Math.min(before.wait_ms * 2, LAST_RETRY_MS) : FIRST_RETRY_MS
  return { is: 'refused', problem, wait_ms, retry_at: before.is === 'leading' ? 0 : now + wait_ms }
}
