import { expect, it } from 'vitest'
import { agoText, distanceWords, dueText, durationWords, timeWords } from '#core/time-words.ts'

const NOW = '2026-11-22T23:10:00.000Z'

it.each([
  ['2026-11-22T23:59:00.000Z', '23:59 UTC', 'in 49 min'],
  ['2026-11-23T00:05:00.000Z', 'tomorrow 00:05 UTC', 'in 55 min'],
  ['2026-11-29T12:00:00.000Z', 'Sun 29 Nov 12:00 UTC', 'in 7 days'],
  ['2026-11-22T20:10:00.000Z', '20:10 UTC', '3 h ago'],
  ['2027-01-02T12:00:00.000Z', 'Sat 2 Jan 2027 12:00 UTC', 'in 41 days'],
  ['2026-11-22T23:10:20.000Z', '23:10 UTC', 'in 20 s'],
  ['2026-11-22T23:10:00.000Z', '23:10 UTC', 'now'],
  ['2026-11-22T23:09:40.000Z', '23:09 UTC', 'now'],
])('%s is %s, %s', (time, words, distance) => {
  expect(timeWords(time, NOW)).toBe(words)
  expect(distanceWords(time, NOW)).toBe(distance)
})

it('says hours with their minutes, and nothing of what is no time', () => {
  expect(durationWords(3 * 3_600_000 + 20 * 60_000)).toBe('3 h 20 min')
  expect(timeWords('soon', NOW)).toBe('soon')
  expect(distanceWords('soon', NOW)).toBe('')
})

const AT = Date.parse('2026-01-05T09:30:00.000Z')

it('a span is told in its two largest units', () => {
  const spans = [0, 999, 59_000, 60_000, 61_000, 3_600_000, 12_000_000, 86_400_000, 90_000_000, 86_460_000, -5]
  expect(spans.map((span) => durationWords(span, 2))).toEqual([
    '0 s',
    '0 s',
    '59 s',
    '1 min',
    '1 min 1 s',
    '1 h',
    '3 h 20 min',
    '1 d',
    '1 d 1 h',
    '1 d',
    '0 s',
  ])
  expect([12_000_000, 61_000].map((span) => durationWords(span, 1))).toEqual(['3 h', '1 min'])
})

it('what is due says when, or for how long it has been', () => {
  expect(dueText('2026-01-05T12:50:00.000Z', AT)).toBe('in 3 h 20 min')
  expect(dueText('2026-01-05T09:29:00.000Z', AT)).toBe('1 min overdue')
  expect(agoText('2026-01-05T09:29:30.000Z', AT)).toBe('30 s ago')
})

it('rounds what messages say, and says in tables how much is left', () => {
  const almost = 7 * 86_400_000 - 60_000
  expect([durationWords(almost), durationWords(almost, 2)]).toEqual(['7 days', '6 d 23 h'])
  expect([durationWords(47 * 3_600_000), durationWords(29_000), durationWords(90_000)]).toEqual(['47 h', '', '2 min'])
})
