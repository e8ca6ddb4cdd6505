/** The current time in milliseconds since the epoch; a port, so that core stays free of the clock. */
export type Clock = () => number

/** The engine's clock may be this far ahead of the database's: times within it count as due. */
export const CLOCK_TOLERANCE_MS = 1_000

/** RFC 3339 UTC with milliseconds. */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString()
}

/** A time that the database wrote, into JSON as well, where it keeps a form of its own. */
export function isoOfDatabase(text: string): string {
  return isoTime(Date.parse(text))
}

export const HOUR_MS = 3_600_000
export const DAY_MS = 24 * HOUR_MS
const UNIT_MS: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: HOUR_MS, d: DAY_MS }

/** Milliseconds of a duration such as `250ms`, `30s`, `5m`, `1.5h` or `7d`; undefined when it is not one. */
export function parseDuration(text: string): number | undefined {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(text.trim())
  const unit = match?.[2] === undefined ? undefined : UNIT_MS[match[2]]
  return match?.[1] === undefined || unit === undefined ? undefined : Math.round(Number(match[1]) * unit)
}

/** A reading of the database's clock, in milliseconds. */
export interface ClockReading {
  /** the database's clock minus the monotonic clock of this process */
  offset_ms: number
  /** half of the round trip, in which the database read its clock */
  error_ms: number
}

/** `sent_at` and `answered_at` by the monotonic clock, `shown_ms` by the clock of the database. */
export function clockReading(sent_at: number, answered_at: number, shown_ms: number): ClockReading {
  return { offset_ms: shown_ms - (sent_at + answered_at) / 2, error_ms: (answered_at - sent_at) / 2 }
}

/** The more exact of two readings, unless the later one shows that the clocks have moved against each other. */
export function keptReading(before: ClockReading, later: ClockReading): ClockReading {
  const moved = Math.abs(later.offset_ms - before.offset_ms) > later.error_ms + before.error_ms
  return moved || later.error_ms <= before.error_ms ? later : before
}
