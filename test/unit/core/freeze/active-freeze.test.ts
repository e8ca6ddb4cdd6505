import { Cron } from 'croner'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { activeFreezes, freezesOn, frozenForApproval } from '#core/freeze/active-freeze.ts'
import { cronFault, type FreezeWindow, type RecurringFreeze, type SingleFreeze } from '#core/freeze/freeze-window.ts'

const HOUR_MS = 3_600_000
const at = (text: string) => Date.parse(text)
const rule = { name: 'weekend', scope: 'writes', freeze_approvers: [] } as const
const weekend: RecurringFreeze = {
  ...rule,
  freeze_approvers: [],
  cron: '0 18 * * 5',
  duration_ms: 62 * HOUR_MS,
  timezone: 'Europe/Berlin',
}
const holidays: SingleFreeze = {
  name: 'holidays',
  scope: 'all',
  freeze_approvers: ['release-lead'],
  interval: { from: '2026-12-24T18:00:00+01:00', to: '2026-12-27T00:00:00Z' },
}
const names = (freeze: FreezeWindow[], time: string) => activeFreezes({ freeze }, at(time)).map(({ name }) => name)
const until = (freeze: FreezeWindow, time: string) => activeFreezes({ freeze: [freeze] }, at(time))[0]?.until
const nightly = (timezone: string, cron = '30 2 * * *', duration_ms = HOUR_MS): RecurringFreeze => ({
  ...weekend,
  name: 'nightly',
  cron,
  timezone,
  duration_ms,
})

describe('an interval', () => {
  it('is on from its first instant to just before its last', () => {
    expect(names([holidays], '2026-12-24T16:59:59.999Z')).toEqual([])
    expect(names([holidays], '2026-12-24T17:00:00Z')).toEqual(['holidays'])
    expect(names([holidays], '2026-12-26T23:59:59.999Z')).toEqual(['holidays'])
    expect(names([holidays], '2026-12-27T00:00:00Z')).toEqual([])
  })

  it('says until when, for whom and who may act meanwhile', () => {
    expect(activeFreezes({ freeze: [holidays] }, at('2026-12-25T00:00:00Z'))).toEqual([
      { name: 'holidays', until: '2026-12-27T00:00:00.000Z', scope: 'all', freeze_approvers: ['release-lead'] },
    ])
  })
})

describe('a recurring freeze', () => {
  it('is on from each fire for its duration', () => {
    // Friday 18:00 in Berlin's summer is 16:00 in UTC; 62 hours later it is Monday 08:00
    expect(names([weekend], '2026-06-12T15:59:59.999Z')).toEqual([])
    expect(names([weekend], '2026-06-12T16:00:00Z')).toEqual(['weekend'])
    expect(names([weekend], '2026-06-15T05:59:59.999Z')).toEqual(['weekend'])
    expect(names([weekend], '2026-06-15T06:00:00Z')).toEqual([])
    expect(until(weekend, '2026-06-13T12:00:00Z')).toBe('2026-06-15T06:00:00.000Z')
  })

  it('begins by the clock on the wall and lasts by the clock that never jumps', () => {
    // clocks go forward in the night to 29 March 2026: the same 62 hours end at 09:00 in Berlin
    expect(until(weekend, '2026-03-27T17:00:00Z')).toBe('2026-03-30T07:00:00.000Z')
    expect(names([weekend], '2026-03-27T16:59:59Z')).toEqual([])
    // and back in the night to 25 October 2026: they end at 07:00
    expect(until(weekend, '2026-10-23T16:00:00Z')).toBe('2026-10-26T06:00:00.000Z')
    expect(names([weekend], '2026-10-23T15:59:59Z')).toEqual([])
  })

  it('begins at the end of the gap when its time falls into it', () => {
    expect(names([nightly('Europe/Berlin')], '2026-03-29T00:59:59Z')).toEqual([])
    expect(until(nightly('Europe/Berlin'), '2026-03-29T01:00:00Z')).toBe('2026-03-29T02:00:00.000Z')
  })

  it('begins with the first pass of a time that comes twice, and once', () => {
    expect(until(nightly('Europe/Berlin'), '2026-10-25T00:30:00Z')).toBe('2026-10-25T01:30:00.000Z')
    expect(names([nightly('Europe/Berlin')], '2026-10-25T01:30:00Z')).toEqual([])
  })

  it('means the wall clock of its own zone', () => {
    const time = '2026-06-10T02:30:00Z'
    expect(names([nightly('UTC')], time)).toEqual(['nightly'])
    expect(names([nightly('Europe/Berlin')], time)).toEqual([])
    expect(names([nightly('Asia/Kolkata')], '2026-06-09T21:00:00Z')).toEqual(['nightly'])
  })

  it('on a day of the month and of the week is on when both fit', () => {
    const fridays = nightly('UTC', '0 0 13 * 5', 24 * HOUR_MS)
    expect(names([fridays], '2026-02-13T12:00:00Z')).toEqual(['nightly'])
    expect(names([fridays], '2026-06-13T12:00:00Z')).toEqual([])
    expect(names([fridays], '2026-06-12T12:00:00Z')).toEqual([])
  })

  it('takes the cron expressions of schedules, in five fields', () => {
    const weekends = nightly('UTC', '0 0 * * SAT-SUN', 24 * HOUR_MS)
    const on = ['2026-06-12', '2026-06-13', '2026-06-14', '2026-06-15'].map((day) =>
      names([weekends], `${day}T12:00:00Z`),
    )
    expect(on).toEqual([[], ['nightly'], ['nightly'], []])
    expect(cronFault('0 */24 * * *')).toBe(
      '"0 */24 * * *" is not a cron expression: "24" is not a step of the hour: 1 to 23',
    )
    expect(cronFault('0 0 31 2 5')).toBe('"0 0 31 2 5" names a date that never comes')
  })

  it('that comes again before it ends is one', () => {
    const days = nightly('UTC', '0 0 24-26 12 *', 24 * HOUR_MS)
    expect(until(days, '2026-12-24T12:00:00Z')).toBe('2026-12-27T00:00:00.000Z')
  })

  it('is on exactly while a fire lies less than its duration back, in every zone and season', () => {
    const anyWindow = fc.record({
      cron: fc.constantFrom('0 18 * * 5', '30 2 * * *', '0 */6 * * *', '15 23 28-31 * *', '0 0 1 1 *'),
      duration_ms: fc.integer({ min: 1, max: 96 * 60 }).map((minutes) => minutes * 60_000),
      timezone: fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kathmandu'),
    })
    const anyTime = fc.oneof(
      fc.integer({ min: at('2026-01-01T00:00:00Z'), max: at('2028-01-01T00:00:00Z') }),
      fc.integer({ min: at('2026-03-27T00:00:00Z'), max: at('2026-03-31T00:00:00Z') }),
      fc.integer({ min: at('2026-10-23T00:00:00Z'), max: at('2026-10-27T00:00:00Z') }),
    )
    fc.assert(
      fc.property(anyWindow, anyTime, (facts, time_ms) => {
        const window: RecurringFreeze = { ...weekend, ...facts }
        const fires = new Cron(facts.cron, { mode: '5-part', domAndDow: true, timezone: facts.timezone, paused: true })
          .nextRuns(40, new Date(time_ms - 5 * 24 * HOUR_MS))
          .map((fire) => fire.getTime())
        const isOn = fires.some((fire_ms) => fire_ms <= time_ms && time_ms < fire_ms + facts.duration_ms)
        const [active] = activeFreezes({ freeze: [window] }, time_ms)
        expect(active !== undefined).toBe(isOn)
        if (active === undefined) return
        expect(at(active.until)).toBeGreaterThan(time_ms)
        expect(activeFreezes({ freeze: [window] }, at(active.until) - 1)).toHaveLength(1)
      }),
      { numRuns: 300 },
    )
  })
})

describe('an operation', () => {
  const both = { freeze: [{ ...holidays, name: 'writes only', scope: 'writes' } as const, holidays] }
  const during = at('2026-12-25T00:00:00Z')

  it('that only reads is held back by a freeze of all alone', () => {
    expect(freezesOn(both, during, false).map(({ name }) => name)).toEqual(['holidays'])
    expect(freezesOn(both, during, true).map(({ name }) => name)).toEqual(['writes only', 'holidays'])
    expect(freezesOn({ freeze: [] }, during, true)).toEqual([])
  })

  it('cannot be approved by anybody while a freeze without approvers holds it back', () => {
    const strict = { freeze: [holidays, weekend] }
    const saturday = at('2026-12-26T12:00:00Z')
    expect(frozenForApproval(strict, saturday)?.name).toBe('weekend')
    expect(frozenForApproval(strict, saturday, 'http.write')?.name).toBe('weekend')
    expect(frozenForApproval(strict, saturday, 'read')).toBeUndefined()
    expect(frozenForApproval({ freeze: [holidays] }, saturday)).toBeUndefined()
    expect(frozenForApproval(strict, at('2026-12-30T12:00:00Z'))).toBeUndefined()
  })
})
