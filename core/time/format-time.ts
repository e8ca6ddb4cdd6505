const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const UNITS = [
  ['d', DAY],
  ['h', HOUR],
  ['min', MINUTE],
  ['s', SECOND],
] as const
const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'] as const
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'] as const

/**
 * Formats a time for people, seen from another: `14:05 UTC`, `tomorrow 14:05 UTC`, `Sat 29 Nov 14:05 UTC`. An invalid time stays unchanged.
 */
export function formatTime(time: string, seen_from: string): string {
  const [at, from] = [Date.parse(time), Date.parse(seen_from)]
  if (Number.isNaN(at)) return time
  const then = new Date(at)
  const clock = `${then.toISOString().slice(11, 16)} UTC`
  const days = Number.isNaN(from) ? undefined : Math.floor(at / DAY) - Math.floor(from / DAY)
  if (days === 0) return clock
  if (days === 1) return `tomorrow ${clock}`
  const day = `${WEEKDAYS[then.getUTCDay()]} ${then.getUTCDate()} ${MONTHS[then.getUTCMonth()]}`
  const isThisYear = time.slice(0, 4) === seen_from.slice(0, 4)
  return `${day}${isThisYear ? '' : ` ${then.getUTCFullYear()}`} ${clock}`
}

/** Formats the distance of a time: `in 55 min`, `in 3 h 20 min`, `in 7 days`, `5 min ago`, `in 20 s`, `now`. Empty for an invalid time. */
export function formatDistance(time: string, seen_from: string): string {
  const ms = Date.parse(time) - Date.parse(seen_from)
  if (Number.isNaN(ms)) return ''
  const words = formatDuration(Math.abs(ms))
  if (words === '') return ms >= 1_000 ? `in ${Math.floor(ms / 1_000)} s` : 'now'
  return ms > 0 ? `in ${words}` : `${words} ago`
}

/** Formats how long ago a moment was, in two units. */
export function agoText(time: string, now: number): string {
  return `${formatDuration(now - Date.parse(time), 2)} ago`
}

/** Formats how far ahead a moment is, in two units, or that it has passed. */
export function dueText(time: string, now: number): string {
  const left = Date.parse(time) - now
  return left >= 0 ? `in ${formatDuration(left, 2)}` : `${formatDuration(-left, 2)} overdue`
}

/**
 * Formats a duration. For messages it is rounded, `55 min`, `3 h 20 min`, `7 days`, and empty below half a minute. For tables it has so
 * many of its largest units: `6 d 23 h`, `8 s`, `0 s`.
 */
export function formatDuration(ms: number, detail: 'rounded' | 1 | 2 = 'rounded'): string {
  return detail === 'rounded' ? rounded(ms) : inUnits(ms, detail)
}

function rounded(ms: number): string {
  const minutes = Math.round(ms / MINUTE)
  if (minutes === 0) return ''
  return minutes < 48 * 60 ? inUnits(minutes * MINUTE, 2, HOUR) : `${Math.round(ms / DAY)} days`
}

/** The largest units that are not larger than `largest`. */
function inUnits(ms: number, count: number, largest = DAY): string {
  const whole = Math.max(0, Math.floor(ms / SECOND)) * SECOND
  const units = UNITS.filter(([, size]) => size <= largest)
  const first = units.findIndex(([, size]) => whole >= size)
  if (first < 0) return '0 s'
  return units
    .slice(first, first + count)
    .map(([unit, size], index) => ({
      unit,
      amount: Math.floor((index === 0 ? whole : whole % (units[first]?.[1] ?? 1)) / size),
    }))
    .filter(({ amount }) => amount > 0)
    .map(({ amount, unit }) => `${amount} ${unit}`)
    .join(' ')
}
