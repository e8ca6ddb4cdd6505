import { expect, test } from 'vitest'
import { answeredBy } from '#client/gate-text.ts'

test.each([
  [{ by: 'usr_01m7z4pye6hh8s83fjypz6yd76', name: 'Ann' }, 'Ann'],
  [{ by: 'usr_local' }, 'the local owner'],
  [{ by: 'oncall@example.test' }, 'holder of the link sent to oncall@example.test'],
])('names who answered: %o', (answer, name) => {
  expect(answeredBy(answer)).toBe(name)
})
