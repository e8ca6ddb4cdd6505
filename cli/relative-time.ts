const UNITS = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
  ['s', 1],
] as const

/** A span in its two largest units, `3 h 20 min`, or in as many as `units` says. */
export function spanText(ms: number, units = 2): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000))
  const first = UNITS.findIndex(([, size]) => seconds >= size)
  if (first < 0) return '0 s'
  const parts = UNITS.slice(first, first + units).map(([unit, size], index) => {
    const whole = index === 0 ? seconds : seconds % (UNITS[first]?.[1] ?? 1)
    return { count: Math.floor(whole / size), unit }
  })
  return parts
    .filter(({ count }) => count > 0)
    .map(({ count, unit }) => `${count} ${unit}`)
    .join(' ')
}

/** How long ago a moment was. */
export function agoText(time: string, now: number): string {
  return `${spanText(now - Date.parse(time))} ago`
}

/** How far off a moment is, or that it has passed. */
export function dueText(time: string, now: number): string {
  const left = Date.parse(time) - now
  return left >= 0 ? `in ${spanText(left)}` : `${spanText(-left)} overdue`
}
