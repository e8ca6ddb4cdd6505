import { expect, test } from 'vitest'
import { isExact } from '../../../console/src/lib/exact-number.ts'

test.each([
  ['9007199254740991', true],
  ['9007199254740992', false],
  ['-1184467440737095516', false],
  ['1e20', true],
  ['1e400', false],
  ['1e-400', false],
  ['0.1', true],
  ['0.10000000000000001', false],
  ['12.500000000000000000', true],
  ['0.000', true],
  ['0.30000000000000004', true],
  ['0.30000000000000005', false],
  ['1.', true],
  ['-', true],
  ['abc', true],
])('%s can be sent as a number: %s', (text, exact) => {
  expect(isExact(text)).toBe(exact)
})
