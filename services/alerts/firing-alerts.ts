import type { Waiting } from '#core/batcher.ts'
import type { RefusedOutcome } from '#core/trigger/outcome.ts'
import type { StartContext } from '../context.ts'
import type { Admission } from '../runs/admission.ts'
import type { Attaching } from './kept-alert.ts'

/** A firing alert with the run that its rule starts. */
export interface FiringAlert extends Attaching {
  fingerprint: string
  /** where the member is unique; without it no earlier end counts */
  scope?: string
  /** for this many seconds an earlier end still counts; given with the scope */
  remembered_s?: number
  admission: Omit<Admission, 'fingerprint' | 'alerts' | 'alert'>
}

export type FoldOutcome =
  | { outcome: 'started' | 'attached'; run_id: string; attached_count: number }
  | { outcome: RefusedOutcome | 'throttled' | 'suppressed' | 'unmatched'; detail: string }

export interface AskedAlert {
  ctx: StartContext
  alert: FiringAlert
}

export type WaitingAlert = Waiting<AskedAlert, FoldOutcome>

export interface Group {
  first: WaitingAlert
  members: WaitingAlert[]
}

/** Groups in the order of their first members. */
export function groupBy(waiting: WaitingAlert[], keyOf: (one: WaitingAlert) => string): Group[] {
  const groups = new Map<string, Group>()
  for (const one of waiting) {
    const key = keyOf(one)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, { first: one, members: [one] })
    else group.members.push(one)
  }
  return [...groups.values()]
}
