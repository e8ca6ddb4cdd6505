import { expect, test } from 'vitest'
import { agoText, dueText, spanText } from '#cli/relative-time.ts'

const NOW = Date.parse('2026-01-05T09:30:00.000Z')

test('a span is told in its two largest units', () => {
  const spans = [0, 999, 59_000, 60_000, 61_000, 3_600_000, 12_000_000, 86_400_000, 90_000_000, 86_460_000, -5]
  expect(spans.map((span) => spanText(span))).toEqual([
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
  expect([12_000_000, 61_000].map((span) => spanText(span, 1))).toEqual(['3 h', '1 min'])
})

test('what is due says when, or for how long it has been', () => {
  expect(dueText('2026-01-05T12:50:00.000Z', NOW)).toBe('in 3 h 20 min')
  expect(dueText('2026-01-05T09:29:00.000Z', NOW)).toBe('1 min overdue')
  expect(agoText('2026-01-05T09:29:30.000Z', NOW)).toBe('30 s ago')
})
