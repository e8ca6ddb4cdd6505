import { expect, test } from 'vitest'
import { releaseAll } from '#platform/program/release-all.ts'

test('what throws or rejects on its way out keeps nothing behind it open', async () => {
  const released: string[] = []
  const warned: object[] = []
  await releaseAll(
    [
      () => released.push('loop'),
      () => {
        throw new Error('thrown')
      },
      () => Promise.reject(new Error('rejected')),
      async () => released.push('database'),
    ],
    { warn: (fields) => void warned.push(fields) },
  )
  expect(released).toEqual(['loop', 'database'])
  expect(warned).toEqual([{ err: new Error('thrown') }, { err: new Error('rejected') }])
})
