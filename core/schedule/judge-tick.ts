import { CLOCK_TOLERANCE_MS, HOUR_MS } from '../time/time.ts'
import { type FireRule, isFire, nextFires } from './next-fires.ts'

export type TickVerdict =
  | { kind: 'fire' }
  /** no firing, and no error: a time of an older version of the schedule, or the second pass of a fold */
  | { kind: 'none' }
  /** no honest tick: the time has not come, or is none of the schedule's. It is not used up by this */
  | { kind: 'claim'; why: 'not_due' | 'not_scheduled' }
  | { kind: 'refuse'; outcome: 'skipped' | 'missed'; reason: string }

const CATCHUP_MS = HOUR_MS
/** A tick may be this late and still count as on time: a worker restarts, a queue drains. */
export const ON_TIME_MS = 60_000

export interface Tick {
  nominal: number
  /** by the database clock */
  now: number
  /** when the schedule got its current rule */
  changed: number
  jitter_s: number
  enabled: boolean
  deleted: boolean
  archived: boolean
  catchup: 'none' | 'latest' | 'all'
}

/** Tells whether a tick of the engine is a firing. */
export function judgeTick(rule: FireRule, tick: Tick): TickVerdict {
  if (tick.nominal > tick.now + CLOCK_TOLERANCE_MS) return { kind: 'claim', why: 'not_due' }
  if (!isFire(rule, tick.nominal))
    return mayTick(rule, tick) ? { kind: 'none' } : { kind: 'claim', why: 'not_scheduled' }
  if (tick.deleted) return { kind: 'refuse', outcome: 'skipped', reason: 'deleted' }
  if (!tick.enabled) return { kind: 'refuse', outcome: 'skipped', reason: 'paused' }
  if (tick.archived) return { kind: 'refuse', outcome: 'skipped', reason: 'workspace_archived' }
  const late = tick.now - tick.nominal - tick.jitter_s * 1_000
  if (late <= ON_TIME_MS) return { kind: 'fire' }
  if (tick.catchup === 'none') return { kind: 'refuse', outcome: 'missed', reason: 'late' }
  if (late > CATCHUP_MS) return { kind: 'refuse', outcome: 'missed', reason: 'catchup_window' }
  const following = nextFires(rule, tick.nominal, 1)[0]
  const isSuperseded = tick.catchup === 'latest' && following !== undefined && following <= tick.now
  return isSuperseded ? { kind: 'refuse', outcome: 'missed', reason: 'superseded' } : { kind: 'fire' }
}

function mayTick(rule: FireRule, { nominal, changed }: Tick): boolean {
  return nominal <= changed || isFire({ ...rule, dst: { ...rule.dst, fold: 'both' } }, nominal)
}
