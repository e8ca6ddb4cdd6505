const UNITS = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
  [1_000, 's'],
] as const

/** Formats a duration: `1.2 s`, `3 min 20 s`. Undefined while its beginning is unknown. */
export function elapsedText(from: string | undefined, to: string | number | undefined): string | undefined {
  if (from === undefined || to === undefined) return undefined
  const ms = Math.max(0, (typeof to === 'number' ? to : Date.parse(to)) - Date.parse(from))
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
export const ownZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone

const full = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'long' })
const short = new Intl.DateTimeFormat(undefined, { dateStyle: 'short', timeStyle: 'medium' })

/** In the reader's zone and manner. */
export const timeText = (iso: string) => short.format(new Date(iso))
/** With the zone by name. */
export const fullTimeText = (iso: string) => full.format(new Date(iso))

/** As a field for times takes it: without a zone, in the reader's own. */
export function localTime(iso: string): string {
  const at = new Date(iso)
  if (Number.isNaN(at.getTime())) return ''
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}
