import { createLru } from '../lru.ts'
import { DAY_MS } from '../time/time.ts'

/** A change of a zone's clock: at this instant the offset from UTC changes from `before` to `after`. All in milliseconds. */
export interface Changeover {
  at: number
  before: number
  after: number
}

interface ZoneYear {
  /** offset two days before the year begins */
  first: number
  changeovers: Changeover[]
}

const SLACK_MS = 2 * DAY_MS

/** More than there are zones. */
const clocks = createLru<string, Intl.DateTimeFormat>(1_000)
const years = createLru<string, ZoneYear>(1_000)

/** Returns the offset from UTC of an IANA zone at an instant, in milliseconds. */
export function offsetAt(zone: string, at: number): number {
  if (zone === 'UTC') return 0
  const clock = clocks.get(zone) ?? createClock(zone)
  const part: Record<string, number> = {}
  for (const { type, value } of clock.formatToParts(at)) part[type] = Number(value)
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = part
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(at / 1_000) * 1_000
}

/** Changes of the zone's clock in and around a year, in order. */
export function changeoversOf(zone: string, year: number): Changeover[] {
  return zoneYear(zone, year).changeovers
}

/** Offset of a wall-clock time (as if it were UTC) that lies in no gap and no fold. */
export function offsetOfWall(zone: string, wall: number): number {
  const { first, changeovers } = zoneYear(zone, new Date(wall).getUTCFullYear())
  let offset = first
  for (const { at, before, after } of changeovers) if (wall >= at + Math.max(before, after)) offset = after
  return offset
}

function zoneYear(zone: string, year: number): ZoneYear {
  const key = `${zone}|${year}`
  const known = years.get(key)
  if (known !== undefined) return known
  const found = findChangeovers(zone, Date.UTC(year, 0, 1) - SLACK_MS, Date.UTC(year + 1, 0, 1) + SLACK_MS)
  years.set(key, found)
  return found
}

function findChangeovers(zone: string, from: number, to: number): ZoneYear {
  const first = offsetAt(zone, from)
  const changeovers: Changeover[] = []
  let before = first
  for (let day = from; zone !== 'UTC' && day < to; day += DAY_MS) {
    const after = offsetAt(zone, day + DAY_MS)
    if (after === before) continue
    let low = day / 1_000
    let high = (day + DAY_MS) / 1_000
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2)
      if (offsetAt(zone, middle * 1_000) === before) low = middle
      else high = middle
    }
    changeovers.push({ at: high * 1_000, before, after })
    before = after
  }
  return { first, changeovers }
}

function createClock(zone: string): Intl.DateTimeFormat {
  const clock = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  })
  clocks.set(zone, clock)
  return clock
}

/** Returns what is wrong with the name of a time zone; undefined for a name of IANA's, in its spelling. */
export function zoneFault(timezone: string): string | undefined {
  const fault = `${JSON.stringify(timezone)} is not a time zone of IANA such as Europe/Berlin or UTC`
  if (!/^[A-Z][A-Za-z0-9_+-]*(\/[A-Za-z0-9_+-]+)*$/.test(timezone)) return fault
  try {
    const known = new Intl.DateTimeFormat('en', { timeZone: timezone }).resolvedOptions().timeZone
    const misspelt = known !== timezone && known.toLowerCase() === timezone.toLowerCase()
    return misspelt ? `${fault}; it is spelt ${known}` : undefined
  } catch {
    return fault
  }
}
