import { expect, test } from 'vitest'
import { inLockOrder } from '#core/trigger/fingerprint.ts'

const fingerprintOf = ({ fingerprint }: { fingerprint: string }) => fingerprint
const batch = (...fingerprints: string[]) => fingerprints.map((fingerprint) => ({ fingerprint }))

test('two batches with the same fingerprints lock them in the same order, whatever the language of the process', () => {
  const sorted = batch('Zoo', 'a|10', 'a|9', 'zoo', 'ähm')
  expect(inLockOrder(batch('ähm', 'zoo', 'a|9', 'Zoo', 'a|10'), fingerprintOf)).toEqual(sorted)
  expect(inLockOrder(batch('a|10', 'Zoo', 'zoo', 'a|9', 'ähm'), fingerprintOf)).toEqual(sorted)
})

test('what was given stays as it was', () => {
  const given = batch('b', 'a')
  inLockOrder(given, fingerprintOf)
  expect(given).toEqual(batch('b', 'a'))
})
