import { expect, it } from 'vitest'
import { distanceWords, durationWords, timeWords } from '#core/time-words.ts'

const NOW = '2026-11-22T23:10:00.000Z'

it.each([
  ['2026-11-22T23:59:00.000Z', '23:59 UTC', 'in 49 min'],
  ['2026-11-23T00:05:00.000Z', 'tomorrow 00:05 UTC', 'in 55 min'],
  ['2026-11-29T12:00:00.000Z', 'Sun 29 Nov 12:00 UTC', 'in 7 days'],
  ['2026-11-22T20:10:00.000Z', '20:10 UTC', '3 h ago'],
  ['2027-01-02T12:00:00.000Z', 'Sat 2 Jan 2027 12:00 UTC', 'in 41 days'],
  ['2026-11-22T23:10:20.000Z', '23:10 UTC', 'now'],
])('%s is %s, %s', (time, words, distance) => {
  expect(timeWords(time, NOW)).toBe(words)
  expect(distanceWords(time, NOW)).toBe(distance)
})

it('says hours with their minutes, and nothing of what is no time', () => {
  expect(durationWords(3 * 3_600_000 + 20 * 60_000)).toBe('3 h 20 min')
  expect(timeWords('soon', NOW)).toBe('soon')
  expect(distanceWords('soon', NOW)).toBe('')
})
