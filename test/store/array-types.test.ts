import fc from 'fast-check'
import { expect, inject, test } from 'vitest'
import { createDb } from '#store/db.ts'
import { fileFixture } from '#test/support/file-fixture.ts'

const db = fileFixture(() => createDb(inject('postgres_url'), { max: 1 }))

const text = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom('', 'NULL', 'null', '{}', ',', '"', '\\', '\\"', ' '),
)
const storable = text.filter((one) => !one.includes('\0') && one.isWellFormed())

test('arrays of text come back as they went, no matter what is in them', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.option(storable)), async (values) => {
      const [row] = await db<{ back: string[]; count: number }[]>`
        select ${values}::text[] as back, cardinality(${values}::text[]) as count`
      expect(row).toEqual({ back: values, count: values.length })
    }),
    { numRuns: 200 },
  )
})

test('the elements of other arrays are read as values of their own type', async () => {
  const [row] = await db`
    select ${[1, 2]}::integer[] as small, ${[2 ** 53 - 1]}::bigint[] as large, array[true, false, null] as flags,
      ${['2026-03-29T01:00:00Z']}::text[]::timestamptz[] as times, '{{1,2},{3,4}}'::integer[] as nested, '{}'::text[] as none`
  expect(row).toEqual({
    small: [1, 2],
    large: [2 ** 53 - 1],
    flags: [true, false, null],
    times: ['2026-03-29T01:00:00.000Z'],
    nested: [
      [1, 2],
      [3, 4],
    ],
    none: [],
  })
})
