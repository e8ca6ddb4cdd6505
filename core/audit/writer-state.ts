import type { AuditProblem } from './problem.ts'

const FIRST_RETRY_MS = 1_000
const LAST_RETRY_MS = 15_000

/** What a process is to the chain, and what it has to make good before it writes again. */
export interface WriterState<Sink> {
  leadership: Leadership<Sink>
  /** a write failed: what it left in the file is looked up before anything is repeated */
  failing: boolean
  /** a problem that the database could not be told of: it is told before anything is written again */
  unnoted: AuditProblem | undefined
}

export type Leadership<Sink> =
  /** another process writes the chain, or nobody can yet */
  | { is: 'following' }
  /** the one writer; records up to `marked_to` are in the file and marked in the database */
  | { is: 'leading'; sink: Sink; marked_to: number }
  /** file and database do not agree: nothing is acknowledged; it is looked at again after `retry_at` */
  | { is: 'refused'; problem: AuditProblem; retry_at: number; wait_ms: number }

export type WriterEvent<Sink> =
  /** the log was opened, and agrees with the database up to `seq` */
  | { type: 'leads'; sink: Sink; seq: number }
  /** another process leads */
  | { type: 'follows' }
  /** the right to write to this sink is gone */
  | { type: 'lost'; sink: Sink }
  | { type: 'marked'; seq: number }
  | { type: 'failed' }
  /** what a failed write left is known */
  | { type: 'settled' }
  | { type: 'refused'; problem: AuditProblem; now: number }
  | { type: 'noted' }
  | { type: 'unnoted'; problem: AuditProblem }

export function follower<Sink>(): WriterState<Sink> {
  return { leadership: { is: 'following' }, failing: false, unnoted: undefined }
}

/** Whether it may be tried to lead: a refusal rests for a while. */
export function mayLead({ leadership }: WriterState<unknown>, now: number): boolean {
  return leadership.is !== 'refused' || now >= leadership.retry_at
}

export function isHealthy<Sink>({ leadership, failing }: WriterState<Sink>, works: (sink: Sink) => boolean): boolean {
  return leadership.is === 'leading' ? works(leadership.sink) && !failing : leadership.is === 'following'
}

/** The only way in which what a process is to the chain changes. Nobody leads but by opening the log, and no refusal ends but by that or by another leader. */
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

/** What was wrong under a leader is looked at again at once: it may be healed by reopening the log. */
function refusedAfter(before: Leadership<unknown>, problem: AuditProblem, now: number): Leadership<never> {
  const wait_ms = before.is === 'refused' ? Math.min(before.wait_ms * 2, LAST_RETRY_MS) : FIRST_RETRY_MS
  return { is: 'refused', problem, wait_ms, retry_at: before.is === 'leading' ? 0 : now + wait_ms }
}
