import { expect, test } from 'vitest'
import { offsetOf } from '../../../console/src/lib/text.ts'

const TEXT = 'name: a\nrules:\n  - x\n'

test.each([
  [{ line: 1, column: 1 }, 0],
  [{ line: 2, column: 3 }, 10],
  [{ line: 3, column: 99 }, 20],
  [{ line: 4 }, 21],
  [{ line: 99, column: 5 }, 21],
  [{ line: 0, column: 0 }, 0],
  [{}, 0],
])('%j of a text is where it says, or the nearest place that there is', (place, offset) => {
  expect(offsetOf(TEXT, place)).toBe(offset)
})
