/** The current time in milliseconds since the epoch; a port, so that core stays free of the clock. */
export type Clock = () => number

/** How far the engine's clock may be ahead of the database's: what it says to be due within this much is due. */
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
