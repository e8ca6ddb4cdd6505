const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const

/** In words, its two largest units: `3 hours 12 minutes`. */
export function durationText(ms: number): string {
  const first = UNITS.findIndex(([, unit_ms]) => ms >= unit_ms)
  if (first === -1) return '0 seconds'
  let left = ms
  const parts = UNITS.slice(first, first + 2).flatMap(([name, unit_ms]) => {
    const count = Math.floor(left / unit_ms)
    left -= count * unit_ms
    return count === 0 ? [] : [`${count} ${name}${count === 1 ? '' : 's'}`]
  })
  return parts.join(' ')
}
