import { InvalidArgumentError } from 'commander'
import { isoTime, parseDuration } from '#core/time.ts'

/** The moment that an option names: `2h` is two hours ago, anything else a time such as `2026-01-31T12:00:00Z`. */
export function momentOf(text: string): string {
  const back = parseDuration(text)
  const at = back === undefined ? Date.parse(text) : Date.now() - back
  if (Number.isNaN(at)) throw new InvalidArgumentError('a span back such as 30m, 2h or 7d, or a time (RFC 3339)')
  return isoTime(at)
}
