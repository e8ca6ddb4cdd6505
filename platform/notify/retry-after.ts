const LONGEST_MS = 60 * 60 * 1_000

/** Milliseconds that `Retry-After` asks for (RFC 9110 section 10.2.3, seconds or a date); at most an hour. */
export function retryAfterMs(header: string | undefined, now_ms: number): number | undefined {
  if (header === undefined) return undefined
  const asked = /^\d+$/.test(header.trim()) ? Number(header) * 1_000 : Date.parse(header) - now_ms
  return Number.isNaN(asked) ? undefined : Math.min(Math.max(asked, 0), LONGEST_MS)
}
