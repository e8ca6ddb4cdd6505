import { expect, test } from 'vitest'
import { durationText } from '../../../console/src/lib/time.ts'

test.each([
  [0, '0 seconds'],
  [1_000, '1 second'],
  [59_999, '59 seconds'],
  [60_000, '1 minute'],
  [61_000, '1 minute 1 second'],
  [3_600_000 + 5_000, '1 hour'],
  [2 * 3_600_000 + 12 * 60_000 + 30_000, '2 hours 12 minutes'],
  [7 * 86_400_000, '7 days'],
  [86_400_000 + 3_600_000, '1 day 1 hour'],
])('%i ms are %s', (ms, text) => {
  expect(durationText(ms)).toBe(text)
})
