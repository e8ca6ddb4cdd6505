import { describe, expect, it } from 'vitest'
import { retryAfterMs } from '#platform/notify/retry-after.ts'

const NOW = Date.parse('2026-11-21T12:00:00Z')

describe('retryAfterMs', () => {
  it.each([
    ['30', 30_000],
    ['0', 0],
    ['Sat, 21 Nov 2026 12:00:10 GMT', 10_000],
    ['Sat, 21 Nov 2026 11:59:00 GMT', 0],
    ['Sat, 21 Nov 2099 12:00:00 GMT', 3_600_000],
    ['999999999999999999999', 3_600_000],
    ['soon', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('%j asks for %j', (header, expected) => {
    expect(retryAfterMs(header, NOW)).toBe(expected)
  })
})
