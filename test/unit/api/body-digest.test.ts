import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { createBodyDigest } from '#api/create-auth.ts'

const KEY = 'a key of the tests that is long enough'
const plain = createHash('sha256').update('{"secret":"1234"}').digest('hex')

test.each([
  { secretKey: KEY, connectionKeys: [KEY] },
  { secretKey: undefined, connectionKeys: [KEY] },
])('a password cannot be guessed from what is kept of a request where there is any key', (keys) => {
  const digest = createBodyDigest(keys)
  expect(digest('{"secret":"1234"}')).not.toBe(plain)
  expect(digest('{"secret":"1234"}')).toBe(digest('{"secret":"1234"}'))
})
