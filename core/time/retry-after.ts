const LONGEST_MS = 24 * 60 * 60 * 1_000

/** Answer headers, with names in lower case. */
type Headers = Readonly<Record<string, string | string[] | undefined>>

/**
 * Returns the delay that an answer asks for, in milliseconds: `retry-after-ms`, else `Retry-After` in seconds or as an HTTP date (RFC 9110
 * section 10.2.3); at most a day. A date is compared with the `Date` of the same answer, so that no two clocks are.
 */
export function retryAfterMs(headers: Headers, now_ms: number): number | undefined {
  const exact = decimal(textOf(headers['retry-after-ms']))
  const text = textOf(headers['retry-after'])
  const seconds = decimal(text)
  const asked = exact ?? (seconds === undefined ? dateOf(text) : seconds * 1_000)
  if (asked === undefined) return undefined
  const isSpan = exact !== undefined || seconds !== undefined
  const ms = isSpan ? asked : asked - (dateOf(textOf(headers['date'])) ?? now_ms)
  return Math.min(Math.max(Math.ceil(ms), 0), LONGEST_MS)
}

function textOf(header: string | string[] | undefined): string {
  return (Array.isArray(header) ? (header[0] ?? '') : (header ?? '')).trim()
}

function decimal(text: string): number | undefined {
  return /^\d+(\.\d+)?$/.test(text) ? Number(text) : undefined
}

/** The three forms of a date; the oldest one names no zone, and means UTC. */
function dateOf(text: string): number | undefined {
  if (!/^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(text)) return undefined
  const ms = Date.parse(/GMT$/.test(text) ? text : `${text} GMT`)
  return Number.isNaN(ms) ? undefined : ms
}
