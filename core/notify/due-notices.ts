import { CLOCK_TOLERANCE_MS } from '../time/time.ts'
import type { AskingKind } from './contract.ts'

/** Times of an open gate in milliseconds. */
export interface GateTimes {
  /** by the clock of the database */
  now: number
  /** when its first notices were planned; null when that is now */
  asked: number | null
  remind: number | null
  escalate: number | null
}

export interface DueNotices {
  kinds: AskingKind[]
  /** when the next notices are due */
  next: number | null
}

/** Returns the notices of an open gate that are due now. A reminder whose time passed before the first notice would only repeat it. */
export function dueNotices({ now, asked, remind, escalate }: GateTimes): DueNotices {
  const later = [
    ...(remind === null || remind <= (asked ?? now) ? [] : [{ kind: 'reminder' as const, at: remind }]),
    ...(escalate === null ? [] : [{ kind: 'escalated' as const, at: escalate }]),
  ]
  const hasCome = ({ at }: { at: number }) => at <= now + CLOCK_TOLERANCE_MS
  const to_come = later.filter((each) => !hasCome(each)).map(({ at }) => at)
  return {
    kinds: ['opened', ...later.filter(hasCome).map(({ kind }) => kind)],
    next: to_come.length === 0 ? null : Math.min(...to_come),
  }
}
