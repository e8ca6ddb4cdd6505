const UNITS = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
  [1_000, 's'],
] as const

/** Formats the time between two times; undefined while its beginning is unknown. */
export function elapsedText(from: string | undefined, to: string | number | undefined): string | undefined {
  if (from === undefined || to === undefined) return undefined
  return spanText((typeof to === 'number' ? to : Date.parse(to)) - Date.parse(from))
}

/** Formats a duration in its two largest units: `1.2 s`, `3 min 20 s`. */
export function spanText(span_ms: number): string {
  const ms = Math.max(0, span_ms)
  if (ms < 1_000) return `${Math.round(ms)} ms`
  if (ms < 10_000) return `${(ms / 1_000).toFixed(1)} s`
  let left = Math.round(ms / 1_000) * 1_000
  const parts = UNITS.flatMap(([unit_ms, name]) => {
    const count = Math.floor(left / unit_ms)
    left -= count * unit_ms
    return count === 0 ? [] : [`${count} ${name}`]
  })
  return parts.slice(0, 2).join(' ')
}

/** The reader's own. */
export const OWN_ZONE = new Intl.DateTimeFormat().resolvedOptions().timeZone

// the Swedish locale formats as ISO 8601: 2026-11-29 02:14:05
const iso = new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeStyle: 'medium' })

/** In the reader's zone: `2026-11-29 02:14:05`. */
export const timeText = (at: string) => iso.format(new Date(at))
/** With the zone by name. */
export const fullTimeText = (at: string) => `${timeText(at)} ${OWN_ZONE}`

/** How long ago, in its largest unit: `3 min ago`. */
export function agoText(ms: number): string {
  const [unit_ms, name] = UNITS.find(([each]) => ms >= each) ?? [1_000, 's']
  return `${Math.max(0, Math.floor(ms / unit_ms))} ${name} ago`
}

/** As a field for times takes it: without a zone, in the reader's own. */
export function localTime(iso: string): string {
  const at = new Date(iso)
  if (Number.isNaN(at.getTime())) return ''
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

const UNIT_WORDS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const

/** In words, its two largest units: `3 hours 12 minutes`. */
export function durationText(ms: number): string {
  const first = UNIT_WORDS.findIndex(([, unit_ms]) => ms >= unit_ms)
  if (first === -1) return '0 seconds'
  let left = ms
  const parts = UNIT_WORDS.slice(first, first + 2).flatMap(([name, unit_ms]) => {
    const count = Math.floor(left / unit_ms)
    left -= count * unit_ms
    return count === 0 ? [] : [`${count} ${name}${count === 1 ? '' : 's'}`]
  })
  return parts.join(' ')
}
