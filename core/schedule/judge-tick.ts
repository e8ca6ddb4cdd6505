import { type FireRule, isFire, nextFires } from './next-fires.ts'

export type TickVerdict =
  | { kind: 'fire' }
  /** the engine ticked at a time that is none of the schedule's: an older version of it, or the second pass of a fold */
  | { kind: 'none' }
  | { kind: 'refuse'; outcome: 'skipped' | 'missed'; reason: string }

const CATCHUP_MS = 3_600_000
/** A tick may be this late and still count as on time: a worker restarts, a queue drains. */
export const ON_TIME_MS = 60_000

export interface Tick {
  nominal: number
  now: number
  jitter_s: number
  enabled: boolean
  deleted: boolean
  archived: boolean
  catchup: 'none' | 'latest' | 'all'
}

/** Whether a tick of the engine is a firing. */
export function judgeTick(rule: FireRule, tick: Tick): TickVerdict {
  if (!isFire(rule, tick.nominal)) return { kind: 'none' }
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
