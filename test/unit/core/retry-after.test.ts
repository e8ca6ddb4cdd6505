import { describe, expect, it } from 'vitest'
import { retryAfterMs } from '#core/time/retry-after.ts'

const NOW = Date.parse('2026-11-21T12:00:00Z')
const DAY_MS = 24 * 60 * 60 * 1_000

describe('retryAfterMs', () => {
  it.each([
    ['30', 30_000],
    [' 30 ', 30_000],
    ['1.5', 1_500],
    ['0', 0],
    ['Sat, 21 Nov 2026 12:00:10 GMT', 10_000],
    ['Saturday, 21-Nov-26 12:00:10 GMT', 10_000],
    ['Sat Nov 21 12:00:10 2026', 10_000],
    ['Sat, 21 Nov 2026 11:59:00 GMT', 0],
    ['Sat, 21 Nov 2099 12:00:00 GMT', DAY_MS],
    ['999999999999999999999', DAY_MS],
    ['-1', undefined],
    ['soon', undefined],
    ['2', 2_000],
    ['8 s', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('%j asks for %j', (header, expected) => {
    expect(retryAfterMs({ 'retry-after': header }, NOW)).toBe(expected)
  })

  it('takes milliseconds before seconds', () => {
    expect(retryAfterMs({ 'retry-after-ms': '250.4', 'retry-after': '1' }, NOW)).toBe(251)
    expect(retryAfterMs({ 'retry-after-ms': 'soon', 'retry-after': '1' }, NOW)).toBe(1_000)
  })

  it('compares a date with the clock of who said it', () => {
    const headers = { date: 'Sat, 21 Nov 2026 15:00:00 GMT', 'retry-after': 'Sat, 21 Nov 2026 15:00:37 GMT' }
    expect(retryAfterMs(headers, NOW)).toBe(37_000)
  })
})
