import { DAY_MS } from '../time/time.ts'
import { type FireRule, unclearFires } from './next-fires.ts'

export interface CalendarRange {
  start: number
  end: number
}

/** A set of wall-clock times in Temporal's form; an absent part means every value, for the time of day zero. */
export interface EngineCalendar {
  second: CalendarRange[]
  minute: CalendarRange[]
  hour: CalendarRange[]
  day: CalendarRange[]
  month: CalendarRange[]
  weekday: CalendarRange[]
}

const MONTHS_AHEAD_MS = 400 * DAY_MS

/**
 * Returns the wall-clock times at which the engine ticks for a rule. A time that occurs twice ticks once or twice, and one in a gap not at
 * all: the extra instants ensure that every fire of the next thirteen months has its tick, and the firing drops needless ticks.
 */
export function engineCalendars({ cron, days }: FireRule): EngineCalendar[] {
  const time = { second: ranges(cron.seconds), minute: ranges(cron.minutes), hour: ranges(cron.hours) }
  const month = ranges(cron.months)
  const every = { day: [{ start: 1, end: 31 }], weekday: [{ start: 0, end: 6 }] }
  const day = ranges(cron.days)
  const weekday = ranges(cron.weekdays)
  const either = days === 'or' && cron.days_restricted && cron.weekdays_restricted
  return [
    ...(either
      ? [
          { ...time, month, ...every, day },
          { ...time, month, ...every, weekday },
        ]
      : [{ ...time, month, day, weekday }]),
  ]
}

/** Returns the instants at which the engine ticks besides its calendars, in milliseconds. */
export function engineInstants(rule: FireRule, now: number): number[] {
  return unclearFires(rule, now, now + MONTHS_AHEAD_MS)
}

/** Sorted values as ranges. */
function ranges(values: number[]): CalendarRange[] {
  const found: CalendarRange[] = []
  for (const value of values) {
    const last = found.at(-1)
    if (last !== undefined && last.end === value - 1) last.end = value
    else found.push({ start: value, end: value })
  }
  return found
}

/** A schedule as the engine is to have it. */
export interface EngineSchedule {
  id: string
  workspace_id: string
  name: string
  timezone: string
  calendars: EngineCalendar[]
  instants: number[]
  jitter_s: number
  /** latest start of a tick */
  catchup_ms: number
  paused: boolean
  /** version and digest of all this */
  note: string
}

/** The engine's description of a schedule. */
export interface EngineScheduleState {
  paused: boolean
  note: string | undefined
  /** the next ticks, in milliseconds */
  next: number[]
}

/** The clock of the engine. Every call is safe to repeat; they throw when it cannot be reached. */
export interface ScheduleEngine {
  put(schedule: EngineSchedule): Promise<void>
  remove(key: Pick<EngineSchedule, 'id' | 'workspace_id'>): Promise<void>
  inspect(key: Pick<EngineSchedule, 'id' | 'workspace_id'>): Promise<EngineScheduleState | undefined>
  /** ticks again at a time whose own tick was lost; no effect while that one is still working */
  tick(key: Pick<EngineSchedule, 'id' | 'workspace_id'>, nominal: number): Promise<void>
  /** all that are ours */
  list(): Promise<Pick<EngineSchedule, 'id' | 'workspace_id'>[]>
}
