import fc from 'fast-check'
import { expect, test } from 'vitest'
import { clockReading, keptReading } from '#core/time/time.ts'

const WITHIN = { numRuns: 2_000 }
/** one question: when it is sent, and how long it takes until the database tells its time, and back */
const question = fc.record({ after: fc.nat(5_000), there: fc.nat(3_000), back: fc.nat(3_000) })

test('a reading is never more wrong than it says, no matter what way an answer takes', () => {
  fc.assert(
    fc.property(question, fc.integer({ min: -1e12, max: 1e12 }), ({ after, there, back }, offset) => {
      const { offset_ms, error_ms } = clockReading(after, after + there + back, after + there + offset)
      expect(Math.abs(offset_ms - offset)).toBeLessThanOrEqual(error_ms)
    }),
    WITHIN,
  )
})

test('what is kept is as exact as the best answer, as long as the clocks keep in step', () => {
  fc.assert(
    fc.property(fc.array(question, { minLength: 1, maxLength: 20 }), fc.integer(), (questions, offset) => {
      const readings = questions.map(({ after, there, back }) =>
        clockReading(after, after + there + back, after + there + offset),
      )
      const kept = readings.reduce(keptReading)
      expect(kept.error_ms).toBe(Math.min(...readings.map(({ error_ms }) => error_ms)))
      expect(Math.abs(kept.offset_ms - offset)).toBeLessThanOrEqual(kept.error_ms)
    }),
    WITHIN,
  )
})

test.each([-3_600_000, 3_600_000])('a clock that jumps by %i ms is followed with the next answer', (jump) => {
  fc.assert(
    fc.property(question, question, (one, other) => {
      const read = ({ after, there, back }: typeof one, offset: number) =>
        clockReading(after, after + there + back, after + there + offset)
      const kept = keptReading(read(one, 0), read(other, jump))
      expect(Math.abs(kept.offset_ms - jump)).toBeLessThanOrEqual(kept.error_ms)
    }),
    WITHIN,
  )
})
