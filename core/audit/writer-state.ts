import type { AuditProblem } from './problem.ts'

const FIRST_RETRY_MS = 1_000
const LAST_RETRY_MS = 15_000

/** What a process is to the chain, and what it has to make good before it writes again. */
export interface WriterState<Sink> {
  standing: Standing<Sink>
  /** a write failed: what it left in the file is looked up before anything is repeated */
  failing: boolean
  /** a problem that the database could not be told of: it is told before anything is written again */
  unnoted: AuditProblem | undefined
}

export type Standing<Sink> =
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
  return { standing: { is: 'following' }, failing: false, unnoted: undefined }
}

/** Whether it may be tried to lead: a refusal rests for a while. */
export function mayLead({ standing }: WriterState<unknown>, now: number): boolean {
  return standing.is !== 'refused' || now >= standing.retry_at
}

export function isHealthy<Sink>({ standing, failing }: WriterState<Sink>, works: (sink: Sink) => boolean): boolean {
  return standing.is === 'leading' ? works(standing.sink) && !failing : standing.is === 'following'
}

/** The only way in which what a process is to the chain changes. Nobody leads but by opening the log, and no refusal ends but by that or by another leader. */
export function nextWriter<Sink>(state: WriterState<Sink>, event: WriterEvent<Sink>): WriterState<Sink> {
  const { standing } = state
  switch (event.type) {
    case 'leads':
      return { ...state, failing: false, standing: { is: 'leading', sink: event.sink, marked_to: event.seq } }
    case 'follows':
      return { ...state, standing: { is: 'following' } }
    case 'lost':
      return standing.is === 'leading' && standing.sink === event.sink
        ? { ...state, standing: { is: 'following' } }
        : state
    case 'marked':
      return standing.is === 'leading'
        ? { ...state, standing: { ...standing, marked_to: Math.max(standing.marked_to, event.seq) } }
        : state
    case 'failed':
      return { ...state, failing: true }
    case 'settled':
      return { ...state, failing: false }
    case 'refused':
      return { ...state, standing: refusedAfter(standing, event.problem, event.now) }
    case 'noted':
      return { ...state, unnoted: undefined }
    case 'unnoted':
      return { ...state, unnoted: event.problem }
  }
}

/** What was wrong under a leader is looked at again at once: it may be healed by opening the log anew. */
function refusedAfter(before: Standing<unknown>, problem: AuditProblem, now: number): Standing<never> {
  const wait_ms = before.is === 'refused' ? Math.min(before.wait_ms * 2, LAST_RETRY_MS) : FIRST_RETRY_MS
  return { is: 'refused', problem, wait_ms, retry_at: before.is === 'leading' ? 0 : now + wait_ms }
}
