import { DAY_MS, HOUR_MS } from '../time/time.ts'
import type { Cron } from './cron.ts'
import { type Changeover, changeoversOf, offsetOfWall } from './zone.ts'

/** The firing rule of a schedule: a cron expression on the clock of a zone, and the treatment of clock changes. */
export interface FireRule {
  cron: Cron
  timezone: string
  /** combination of restricted days of the month and of the week; irrelevant when one of them is `*` */
  days: 'and' | 'or'
  dst: { gap: 'run_at_end' | 'skip'; fold: 'first' | 'both' }
}

/** The default treatment of clock changes: a time in the gap runs at its end, a time that occurs twice runs once. */
export const DEFAULT_DST = { gap: 'run_at_end', fold: 'first' } as const satisfies FireRule['dst']

/** No rule is silent for longer: the 29th of February on a given weekday, over a year 2100 without one. */
const SEARCH_DAYS = 41 * 366

/**
 * Returns the next `count` fires strictly after `from`, in milliseconds, in order and without repeats. Croner cannot replace it: it has no
 * `gap: skip` and no `fold: both`, and in a zone whose clock changes at 2:00 its `* 2 * * *` skips a gap and fires in both passes of a
 * fold, where ours runs at the end of the gap and in the first pass.
 */
export function nextFires(rule: FireRule, from: number, count: number): number[] {
  const fires: number[] = []
  // the wall clock is less than a day away from UTC
  const firstDay = Math.floor(from / DAY_MS) * DAY_MS - DAY_MS
  let last = from
  for (let step = 0; step < SEARCH_DAYS && fires.length < count; step += 1) {
    const day = firstDay + step * DAY_MS
    if (!holdsOn(rule, day)) continue
    for (const fire of firesOfDay(rule, day, last)) {
      if (fire <= last) continue
      fires.push(fire)
      last = fire
      if (fires.length === count) break
    }
  }
  return fires
}

/** Tells whether the schedule fires at exactly this instant. */
export function isFire(rule: FireRule, at: number): boolean {
  return nextFires(rule, at - 1, 1)[0] === at
}

/**
 * Returns the fires after `from` and until `to` whose instant is ambiguous on the wall clock: at the end of a gap, and inside a fold. Of a
 * fold with more than `most` fires none is listed.
 */
export function unclearFires(rule: FireRule, from: number, to: number, most = 300): number[] {
  const found = new Set<number>()
  for (let year = new Date(from).getUTCFullYear(); year <= new Date(to).getUTCFullYear(); year += 1) {
    for (const { at, before, after } of changeoversOf(rule.timezone, year)) {
      const fold = Math.max(0, before - after)
      // where fires follow elapsed time the engine finds them itself, except for folds of half an hour
      if (rule.cron.elapsed && fold % HOUR_MS === 0) continue
      const fires = nextFires(rule, at - fold - 1, most + 1).filter((fire) => fire < at + Math.max(fold, 1))
      if (fires.length <= most) for (const fire of fires) if (fire > from && fire <= to) found.add(fire)
    }
  }
  return [...found].sort((a, b) => a - b)
}

function holdsOn({ cron, days }: FireRule, day: number): boolean {
  const date = new Date(day)
  if (!cron.months.includes(date.getUTCMonth() + 1)) return false
  const inMonth = cron.days.includes(date.getUTCDate())
  const inWeek = cron.weekdays.includes(date.getUTCDay())
  const either = days === 'or' && cron.days_restricted && cron.weekdays_restricted
  return either ? inMonth || inWeek : inMonth && inWeek
}

/** Returns the fires of one day of the wall clock; on an ordinary day only those after `from` are computed. */
function firesOfDay(rule: FireRule, day: number, from: number): Iterable<number> {
  const changed = changeoversOf(rule.timezone, new Date(day).getUTCFullYear()).filter(
    ({ at, before, after }) => at + Math.max(before, after) > day && at + Math.min(before, after) < day + DAY_MS,
  )
  if (changed.length === 0) return ordinary(rule.cron, day, offsetOfWall(rule.timezone, day), from)
  const fires = [...walls(rule.cron, day, day)].flatMap((wall) => instantsOf(rule, wall, changed))
  return fires.sort((a, b) => a - b)
}

function* ordinary(cron: Cron, day: number, offset: number, from: number): Generator<number> {
  for (const wall of walls(cron, day, from + offset)) yield wall - offset
}

/** The times of a day as if its clock were UTC's, beginning with the hour of `from`. */
function* walls({ hours, minutes, seconds }: Cron, day: number, from: number): Generator<number> {
  for (const hour of hours) {
    if (day + (hour + 1) * HOUR_MS <= from) continue
    for (const minute of minutes) {
      if (day + hour * HOUR_MS + (minute + 1) * 60_000 <= from) continue
      for (const second of seconds) yield day + hour * HOUR_MS + minute * 60_000 + second * 1_000
    }
  }
}

/** The instants of a wall-clock time on a day on which the clock is changed. */
function instantsOf({ cron, timezone, dst }: FireRule, wall: number, changed: Changeover[]): number[] {
  for (const { at, before, after } of changed) {
    const inGap = wall >= at + before && wall < at + after
    if (inGap) return cron.elapsed || dst.gap === 'skip' ? [] : [at]
    const inFold = wall >= at + after && wall < at + before
    if (inFold) return cron.elapsed || dst.fold === 'both' ? [wall - before, wall - after] : [wall - before]
  }
  return [wall - offsetOfWall(timezone, wall)]
}
