import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { rowsDigest } from '#activities/operators/postgres/backup/rows-digest.ts'

function digestOf(pieces: Uint8Array[], columns = ['a']) {
  const digest = rowsDigest(columns)
  for (const piece of pieces) {
    const reused = Uint8Array.from(piece)
    digest.add(reused)
    // the driver writes the next rows into the same memory
    reused.fill(0)
  }
  return { digest: digest.digest(), rows: digest.rows, bytes: digest.bytes }
}
const lines = (rows: string[]) => Buffer.from(rows.map((row) => `${row}\n`).join(''))
const row = fc.string({ unit: 'binary', maxLength: 20 }).map((text) => text.replaceAll('\n', ''))

describe('the digest of rows', () => {
  it('is the same however they are cut and ordered', () => {
    fc.assert(
      fc.property(fc.array(row, { maxLength: 20 }), fc.array(fc.nat(400)), (rows, cuts) => {
        const whole = lines(rows)
        const at = [0, ...cuts.filter((cut) => cut < whole.byteLength).sort((a, b) => a - b), whole.byteLength]
        const cut = at.slice(1).map((end, index) => whole.subarray(at[index], end))
        const expected = digestOf([whole])
        expect(expected).toMatchObject({ rows: rows.length, bytes: whole.byteLength })
        expect(digestOf(cut)).toEqual(expected)
        expect(digestOf([lines(rows.toReversed())])).toEqual(expected)
      }),
    )
  })

  it('is another one for another row, one more of the same, and other columns', () => {
    fc.assert(
      fc.property(fc.array(row, { minLength: 1, maxLength: 10 }), row, (rows, other) => {
        const { digest } = digestOf([lines(rows)])
        fc.pre(other !== rows[0])
        expect(digestOf([lines([other, ...rows.slice(1)])]).digest).not.toBe(digest)
        expect(digestOf([lines([...rows, String(rows[0])])]).digest).not.toBe(digest)
        expect(digestOf([lines(rows)], ['b']).digest).not.toBe(digest)
      }),
    )
  })

  it('carries over between its lanes', () => {
    const many = Array.from({ length: 5_000 }, (_each, index) => String(index))
    expect(digestOf([lines(many)]).digest).not.toBe(digestOf([lines([...many.slice(1), 'x'])]).digest)
  })
})
