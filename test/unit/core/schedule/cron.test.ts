import { describe, expect, test } from 'vitest'
import { compileSchedule } from '#core/schedule/compile-schedule.ts'
import { parseCron } from '#core/schedule/cron.ts'

const NOW = Date.parse('2026-01-01T00:00:00Z')
const dst = { gap: 'run_at_end', fold: 'first' } as const
const faultOf = (text: string) => {
  const { fault } = parseCron(text)
  return fault === undefined ? undefined : `${fault.line}:${fault.column} ${fault.message}`
}

describe('a cron expression', () => {
  test.each([
    ['0 0 L * *', '1:5 L is not supported'],
    ['0 0 15W * *', '1:7 W is not supported'],
    ['0 0 * * FRI#2', '1:12 # is not supported'],
    ['0 0 ? * *', '1:5 ? is not supported'],
    ['H * * * *', '1:1 H is not supported'],
    ['H/15 * * * *', '1:1 H is not supported'],
    ['@reboot', '1:1 @reboot is not known here'],
    ['@every 5m', '1:1 @every is not known here'],
    ['0 22-4 * * *', '1:3 the range 22-4 wraps'],
    ['0 0 * * FRI-MON', '1:9 the range FRI-MON wraps'],
    ['5/15 * * * *', '1:1 a step after one value: 5/15'],
    ['0 0 31 2 *', '1:5 this date never comes'],
    ['0 0 31 4,6,9,11 *', '1:5 this date never comes'],
    ['60 * * * *', '1:1 60 is out of range for the minute'],
    ['0,99 * * * *', '1:3 99 is out of range for the minute'],
    ['0 0 0 * *', '1:5 0 is out of range for the day of the month'],
    ['0 0 * * 8', '1:9 8 is out of range for the day of the week'],
    ['*/0 * * * *', '1:3 "0" is not a step of the minute'],
    ['*/2/3 * * * *', '1:3 two steps'],
    ['1-2-3 * * * *', '1:1 1-2-3 is not a range'],
    ['1,,2 * * * *', '1:3 an empty value for the minute'],
    ['* * *\n* FOO', '2:3 "FOO" is not a day of the week'],
    ['', '1:1 the expression is empty'],
    ['* * * *', '1:8 4 fields'],
    ['0 * * * * * 2027', '1:13 7 fields'],
  ])('%j is refused at its place', (text, fault) => {
    expect(faultOf(text)).toBe(fault)
    expect(parseCron(text).fault?.hint).not.toBe('')
  })

  test('names, lists, ranges and steps mean what they mean everywhere', () => {
    const { cron } = parseCron('*/20 9-11,22 1-31/10 JAN,mar FRI-7')
    expect(cron).toMatchObject({
      seconds: [0],
      minutes: [0, 20, 40],
      hours: [9, 10, 11, 22],
      days: [1, 11, 21, 31],
      months: [1, 3],
      weekdays: [0, 5, 6],
      elapsed: false,
    })
  })

  test('six fields begin with seconds, and nicknames are short for five', () => {
    expect(parseCron('*/30 * * * * *').cron).toMatchObject({ seconds: [0, 30], elapsed: true })
    expect(parseCron('@weekly').cron).toEqual(parseCron('0 0 * * 0').cron)
  })
})

describe('a schedule', () => {
  const refusal = (times: { cron: string; timezone?: string; days?: 'and' | 'or' }) => {
    try {
      compileSchedule({ timezone: 'UTC', dst, ...times }, NOW)
      return undefined
    } catch (error) {
      return error
    }
  }

  test('that restricts both kinds of days must say how they go together, and is shown both', () => {
    expect(refusal({ cron: '0 0 13 * FRI' })).toMatchObject({
      code: 'invalid_schedule',
      details: {
        errors: [{ pointer: '/days', type: 'ambiguous_days' }],
        next_fires: {
          and: ['2026-02-13T00:00:00.000Z', '2026-03-13T00:00:00.000Z', '2026-11-13T00:00:00.000Z'],
          or: ['2026-01-02T00:00:00.000Z', '2026-01-09T00:00:00.000Z', '2026-01-13T00:00:00.000Z'],
        },
      },
    })
    expect(refusal({ cron: '0 0 13 * FRI', days: 'or' })).toBeUndefined()
  })

  test('names its zone exactly as IANA does', () => {
    for (const timezone of ['europe/berlin', 'Berlin', '+01:00', 'Europe/Atlantis'])
      expect(refusal({ cron: '@daily', timezone })).toMatchObject({
        details: { errors: [{ pointer: '/timezone', type: 'invalid_timezone' }] },
      })
    expect(refusal({ cron: '@daily', timezone: 'Australia/Lord_Howe' })).toBeUndefined()
  })

  test('carries line, column and hint of what is wrong', () => {
    expect(refusal({ cron: '0 0 L * *' })).toMatchObject({
      details: { line: 1, column: 5, hint: expect.stringContaining('28'), errors: [{ pointer: '/cron' }] },
    })
  })

  test('with days that never meet is refused', () => {
    expect(refusal({ cron: '0 0 31 2 FRI', days: 'and' })).toMatchObject({ code: 'invalid_schedule' })
    expect(refusal({ cron: '0 0 31 2 FRI', days: 'or' })).toBeUndefined()
  })
})
