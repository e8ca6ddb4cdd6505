import { expect, test } from 'vitest'
import { GATES } from '../../../console/src/strings/gates.ts'

test.each([
  ['reads and writes wait', 'Yes, do it: reads and writes wait.'],
  ['Reads wait.', 'Yes, do it: Reads wait.'],
])('what is confirmed ends as a sentence: %s', (summary, text) => {
  expect(GATES.form.sure(summary)).toBe(text)
})
