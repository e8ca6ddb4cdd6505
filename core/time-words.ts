const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'] as const
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'] as const

/** A time as people read it, seen from another: `14:05 UTC`, `tomorrow 14:05 UTC`, `Sat 29 Nov 14:05 UTC`. What is no time stays as it is. */
export function timeWords(time: string, seen_from: string): string {
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

/** How far away a time is: `in 55 min`, `in 3 h 20 min`, `in 7 days`, `5 min ago`, `now`. Empty for what is no time. */
export function distanceWords(time: string, seen_from: string): string {
  const ms = Date.parse(time) - Date.parse(seen_from)
  if (Number.isNaN(ms)) return ''
  const words = durationWords(Math.abs(ms))
  if (words === '') return 'now'
  return ms > 0 ? `in ${words}` : `${words} ago`
}

/** `55 min`, `3 h 20 min`, `7 days`; empty below half a minute. */
export function durationWords(ms: number): string {
  const minutes = Math.round(ms / MINUTE)
  if (minutes === 0) return ''
  if (minutes < 60) return `${minutes} min`
  if (minutes < 48 * 60) {
    const rest = minutes % 60
    return `${Math.floor(minutes / 60)} h${rest === 0 ? '' : ` ${rest} min`}`
  }
  return `${Math.round(ms / DAY)} days`
}
