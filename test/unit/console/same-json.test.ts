import { expect, test } from 'vitest'
import { sameJson } from '../../../console/src/lib/same-json.ts'

test.each([
  [
    { a: 1, b: { c: 2, d: [3] } },
    { b: { d: [3], c: 2 }, a: 1 },
  ],
  [{ a: 1 }, { a: 1, b: undefined }],
  [{ a: 1 }, { a: 1.0 }],
])('%j is the same JSON as %j', (one, other) => {
  expect(sameJson(one, other)).toBe(true)
})

test.each([
  [{ a: 1 }, { a: 2 }],
  [{ a: 1 }, { a: '1' }],
  [{ a: [1, 2] }, { a: [2, 1] }],
  [{ a: 1 }, { a: 1, b: null }],
  [{}, { a: '' }],
])('%j is other JSON than %j', (one, other) => {
  expect(sameJson(one, other)).toBe(false)
})
