import { parseDuration } from '#core/time/time.ts'

/** Milliseconds of a duration that a schema has accepted. */
export function durationMs(text: string): number {
  const ms = parseDuration(text)
  if (ms === undefined) throw new RangeError(`not a duration: ${text}`)
  return ms
}
