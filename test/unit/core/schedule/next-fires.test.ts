import { Cron as Croner } from 'croner'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseCron } from '#core/schedule/cron.ts'
import { engineCalendars, engineInstants } from '#core/schedule/engine-spec.ts'
import { type FireRule, isFire, nextFires, unclearFires } from '#core/schedule/next-fires.ts'
import { offsetAt } from '#core/schedule/zone.ts'

const DEFAULTS: FireRule['dst'] = { gap: 'run_at_end', fold: 'first' }

function rule(text: string, timezone = 'UTC', changes: Partial<FireRule> = {}): FireRule {
  const { cron, fault } = parseCron(text)
  if (cron === undefined) throw new Error(fault.message)
  return { cron, timezone, days: 'and', dst: DEFAULTS, ...changes }
}
const fires = (r: FireRule, from: string, count: number) =>
  nextFires(r, Date.parse(from), count).map((at) => new Date(at).toISOString().replace(/:00\.000Z$/, 'Z'))

describe('changeovers', () => {
  // [zone, cron, from, fires by default, gap skip, fold both]
  test.each([
    [
      'Europe/Berlin',
      '30 2 * * *',
      '2026-03-28T12:00Z',
      ['2026-03-29T01:00Z', '2026-03-30T00:30Z'],
      ['2026-03-30T00:30Z', '2026-03-31T00:30Z'],
      undefined,
    ],
    [
      'Europe/Berlin',
      '30 2 * * *',
      '2026-10-24T12:00Z',
      ['2026-10-25T00:30Z', '2026-10-26T01:30Z'],
      undefined,
      ['2026-10-25T00:30Z', '2026-10-25T01:30Z'],
    ],
    [
      'Europe/Berlin',
      '30 2 * * *',
      '2027-03-27T12:00Z',
      ['2027-03-28T01:00Z', '2027-03-29T00:30Z'],
      ['2027-03-29T00:30Z', '2027-03-30T00:30Z'],
      undefined,
    ],
    [
      'Europe/Berlin',
      '30 2 * * *',
      '2027-10-30T12:00Z',
      ['2027-10-31T00:30Z', '2027-11-01T01:30Z'],
      undefined,
      ['2027-10-31T00:30Z', '2027-10-31T01:30Z'],
    ],
    [
      'America/New_York',
      '15 2 * * *',
      '2026-03-07T12:00Z',
      ['2026-03-08T07:00Z', '2026-03-09T06:15Z'],
      ['2026-03-09T06:15Z', '2026-03-10T06:15Z'],
      undefined,
    ],
    [
      'America/New_York',
      '15 1 * * *',
      '2026-10-31T12:00Z',
      ['2026-11-01T05:15Z', '2026-11-02T06:15Z'],
      undefined,
      ['2026-11-01T05:15Z', '2026-11-01T06:15Z'],
    ],
    [
      'America/New_York',
      '15 2 * * *',
      '2027-03-13T12:00Z',
      ['2027-03-14T07:00Z', '2027-03-15T06:15Z'],
      ['2027-03-15T06:15Z', '2027-03-16T06:15Z'],
      undefined,
    ],
    [
      'America/New_York',
      '15 1 * * *',
      '2027-11-06T12:00Z',
      ['2027-11-07T05:15Z', '2027-11-08T06:15Z'],
      undefined,
      ['2027-11-07T05:15Z', '2027-11-07T06:15Z'],
    ],
    [
      'Australia/Lord_Howe',
      '10 2 * * *',
      '2026-10-03T00:00Z',
      ['2026-10-03T15:30Z', '2026-10-04T15:10Z'],
      ['2026-10-04T15:10Z', '2026-10-05T15:10Z'],
      undefined,
    ],
    [
      'Australia/Lord_Howe',
      '40 1 * * *',
      '2027-04-03T00:00Z',
      ['2027-04-03T14:40Z', '2027-04-04T15:10Z'],
      undefined,
      ['2027-04-03T14:40Z', '2027-04-03T15:10Z'],
    ],
  ])('%s %s after %s', (zone, cron, from, usual, skipping, both) => {
    expect(fires(rule(cron, zone), from, 2)).toEqual(usual)
    if (skipping) expect(fires(rule(cron, zone, { dst: { ...DEFAULTS, gap: 'skip' } }), from, 2)).toEqual(skipping)
    if (both) expect(fires(rule(cron, zone, { dst: { ...DEFAULTS, fold: 'both' } }), from, 2)).toEqual(both)
  })

  test('several times in one gap are one firing, also beside the time at its end', () => {
    expect(fires(rule('0,20,40 2 * * *', 'Europe/Berlin'), '2026-03-28T12:00Z', 2)).toEqual([
      '2026-03-29T01:00Z',
      '2026-03-30T00:00Z',
    ])
    expect(fires(rule('30 2,3 * * *', 'Europe/Berlin'), '2026-03-28T12:00Z', 2)).toEqual([
      '2026-03-29T01:00Z',
      '2026-03-29T01:30Z',
    ])
    expect(fires(rule('0 2,3 * * *', 'Europe/Berlin'), '2026-03-28T12:00Z', 2)).toEqual([
      '2026-03-29T01:00Z',
      '2026-03-30T00:00Z',
    ])
  })

  test.each([
    ['Europe/Berlin', 2026],
    ['Europe/Berlin', 2027],
    ['America/New_York', 2026],
    ['America/New_York', 2027],
    ['Australia/Lord_Howe', 2026],
  ])('an hour of `*` follows elapsed time through all of %s %i', (zone, year) => {
    const all = nextFires(rule('*/30 * * * *', zone), Date.UTC(year, 0, 1), 17_000)
    const distances = new Set(all.slice(1).map((at, index) => at - (all[index] ?? 0)))
    // thirty minutes everywhere: what the clock jumps over or repeats are whole half hours
    expect([...distances]).toEqual([1_800_000])
  })
})

describe('every fire', () => {
  const field = (min: number, max: number) =>
    fc.oneof(
      fc.constant('*'),
      fc.integer({ min: 2, max: Math.min(9, max) }).map((step) => `*/${step}`),
      fc.uniqueArray(fc.integer({ min, max }), { minLength: 1, maxLength: 3 }).map((values) => values.join(',')),
    )
  const crons = fc
    .tuple(field(0, 59), field(0, 23), field(1, 28), field(1, 12), field(0, 6))
    .map((fields) => fields.join(' '))
  const moments = fc
    .integer({ min: Date.UTC(2026, 0, 1) / 1_000, max: Date.UTC(2027, 11, 31) / 1_000 })
    .map((s) => s * 1_000)
  const zones = fc.constantFrom('Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'UTC', 'Asia/Kolkata')

  test('is what croner says where no clock is changed', () => {
    fc.assert(
      fc.property(crons, moments, fc.constantFrom('and' as const, 'or' as const), (text, from, days) => {
        const theirs = new Croner(text, { mode: '5-part', domAndDow: days === 'and', timezone: 'UTC', paused: true })
        const expected = theirs.nextRuns(3, new Date(from)).map((date) => date.getTime())
        const ours = nextFires(rule(text, 'UTC', { days }), from, 3)
        // croner looks ahead for fewer years than we do
        expect(ours.slice(0, expected.length)).toEqual(expected)
      }),
      { numRuns: 300 },
    )
  })

  test('comes in order, once, after its start, and is found again from anywhere before it', () => {
    fc.assert(
      fc.property(crons, zones, moments, (text, zone, from) => {
        const r = rule(text, zone)
        const found = nextFires(r, from, 6)
        expect(found.every((at, index) => at > (found[index - 1] ?? from))).toBe(true)
        for (const [index, at] of found.entries()) {
          expect(nextFires(r, found[index - 1] ?? from, 1)).toEqual([at])
          expect(isFire(r, at)).toBe(true)
        }
      }),
      { numRuns: 200 },
    )
  })

  test('stands on the wall clock as the expression says, but at the end of a gap', () => {
    fc.assert(
      fc.property(crons, zones, moments, (text, zone, from) => {
        const r = rule(text, zone)
        for (const at of nextFires(r, from, 5)) {
          const wall = new Date(at + offsetAt(zone, at))
          const stands = r.cron.minutes.includes(wall.getUTCMinutes()) && r.cron.hours.includes(wall.getUTCHours())
          expect(stands || unclearFires(r, at - 1, at).includes(at)).toBe(true)
        }
      }),
      { numRuns: 200 },
    )
  })

  test('of a year and more has a calendar of the engine that holds it', () => {
    const now = Date.parse('2026-11-21T00:00:00Z')
    fc.assert(
      fc.property(crons, zones, fc.constantFrom('and' as const, 'or' as const), (text, zone, days) => {
        const r = rule(text, zone, { days })
        const calendars = engineCalendars(r)
        const instants = new Set(engineInstants(r, now))
        for (const at of nextFires(r, now, 40).filter((each) => each < now + 395 * 86_400_000)) {
          const wall = new Date(at + offsetAt(zone, at))
          const holds = (ranges: { start: number; end: number }[] | undefined, value: number) =>
            ranges === undefined || ranges.some(({ start, end }) => start <= value && value <= end)
          const held =
            instants.has(at) ||
            calendars.some(
              (each) =>
                holds(each.second, wall.getUTCSeconds()) &&
                holds(each.minute, wall.getUTCMinutes()) &&
                holds(each.hour, wall.getUTCHours()) &&
                holds(each.day, wall.getUTCDate()) &&
                holds(each.month, wall.getUTCMonth() + 1) &&
                holds(each.weekday, wall.getUTCDay()),
            )
          expect(held).toBe(true)
        }
      }),
      { numRuns: 100 },
    )
  })
})
