import { expect, test } from 'vitest'
import { placesAfter, withHome } from '../../../console/src/features/admin/places.ts'

test.each([
  ['one more comes last, and the home stays', ['b'], ['a', 'b'], ['b', 'a']],
  ['without the home the next one is it', ['b', 'a', 'c'], ['a', 'c'], ['a', 'c']],
  ['all of them stand for themselves', ['b'], ['b', '*'], ['*']],
  ['one in place of all', ['*'], ['a', '*'], ['a']],
  ['all of them stay', ['*'], ['*'], ['*']],
  ['none', ['b'], [], []],
])('%s', (_name, before, chosen, after) => {
  expect(placesAfter(before, chosen)).toEqual(after)
})

test('the home is the first', () => {
  expect(withHome(['a', 'b', 'c'], 'c')).toEqual(['c', 'a', 'b'])
})
