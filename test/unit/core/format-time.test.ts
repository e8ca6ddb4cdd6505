import { expect, it } from 'vitest'
import { agoText, dueText, formatDistance, formatDuration, formatTime } from '#core/time/format-time.ts'

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
  expect(formatTime(time, NOW)).toBe(words)
  expect(formatDistance(time, NOW)).toBe(distance)
})

it('says hours with their minutes, and nothing of what is no time', () => {
  expect(formatDuration(3 * 3_600_000 + 20 * 60_000)).toBe('3 h 20 min')
  expect(formatTime('soon', NOW)).toBe('soon')
  expect(formatDistance('soon', NOW)).toBe('')
})

const AT = Date.parse('2026-01-05T09:30:00.000Z')

it('a span is told in its two largest units', () => {
  const spans = [0, 999, 59_000, 60_000, 61_000, 3_600_000, 12_000_000, 86_400_000, 90_000_000, 86_460_000, -5]
  expect(spans.map((span) => formatDuration(span, 2))).toEqual([
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
  expect([12_000_000, 61_000].map((span) => formatDuration(span, 1))).toEqual(['3 h', '1 min'])
})

it('what is due says when, or for how long it has been', () => {
  expect(dueText('2026-01-05T12:50:00.000Z', AT)).toBe('in 3 h 20 min')
  expect(dueText('2026-01-05T09:29:00.000Z', AT)).toBe('1 min overdue')
  expect(agoText('2026-01-05T09:29:30.000Z', AT)).toBe('30 s ago')
})

it('rounds what messages say, and says in tables how much is left', () => {
  const almost = 7 * 86_400_000 - 60_000
  expect([formatDuration(almost), formatDuration(almost, 2)]).toEqual(['7 days', '6 d 23 h'])
  expect([formatDuration(47 * 3_600_000), formatDuration(29_000), formatDuration(90_000)]).toEqual([
    '47 h',
    '',
    '2 min',
  ])
})
