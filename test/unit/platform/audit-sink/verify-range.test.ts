import { statSync, writeFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { verifyFile, verifyRange } from '#platform/audit-sink/verify-range.ts'
import { clean, lineAt, lines, RECORDS, stored, TAMPERINGS } from '#test/support/tampered-logs.ts'
import { chainedLines, draft } from '#test/unit/core/audit/drafts.ts'
import { temporaryLog } from './temporary-log.ts'

const verifyBytes = (bytes: Buffer, options = {}) =>
  verifyRange(async (buffer, position) => bytes.copy(buffer, 0, position, position + buffer.length), {
    from: 0,
    to: bytes.length,
    prev: { seq: 0, hash: '0'.repeat(64) },
    ...options,
  })

describe('tampering', () => {
  test.each(Object.entries(TAMPERINGS))(
    'whoever %s is found, with the first bad record named',
    async (_name, tamper) => {
      for (const at of [0, 1, 2, 777, RECORDS - 3]) {
        const other = (at + 500) % (RECORDS - 2)
        const [bytes, seq] = tamper(at, other)
        const { broken, records, head } = await verifyBytes(bytes)
        expect(broken?.seq).toBe(seq)
        expect(broken?.line).toBe(seq)
        expect([records, head.seq]).toEqual([seq - 1, seq - 1])
        const links = await verifyBytes(bytes, { links_only: true })
        expect(links.broken?.seq).toBe(seq)
      }
    },
  )

  test('any one-byte edit anywhere is found at the record it hits', async () => {
    const small = Buffer.from(`${lines.slice(0, 4).join('\n')}\n`)
    await fc.assert(
      fc.asyncProperty(fc.nat(small.length - 1), fc.nat(255), async (at, byte) => {
        fc.pre(small[at] !== byte)
        const edited = Buffer.from(small)
        edited[at] = byte
        const hit = small.subarray(0, at).filter((each) => each === 0x0a).length + 1
        const { broken } = await verifyBytes(edited)
        expect(broken?.seq).toBe(hit)
      }),
      { numRuns: 3000 },
    )
  })

  test('a byte edit that decodes to the same text is found: the bytes count, not what a lenient decoder makes of them', async () => {
    const edited = Buffer.from(clean)
    const at = edited.indexOf(Buffer.from('\ufffd'))
    edited[at] = 0xf0
    expect(edited.toString('utf8').length).toBe(clean.toString('utf8').length)
    expect((await verifyBytes(edited)).broken).toMatchObject({ seq: 1, kind: 'malformed_line' })
  })
})

describe('no false alarm', () => {
  test('a hundred clean logs of different length verify, with and without a torn last line', async () => {
    for (let count = 0; count < 100; count += 1) {
      const whole = Buffer.from(
        chainedLines(count, (n) => draft(n + count))
          .map((line) => `${line}\n`)
          .join(''),
      )
      expect(await verifyBytes(whole)).toMatchObject({ records: count, end: whole.length })
      expect((await verifyBytes(whole)).broken).toBeUndefined()

      const line = Buffer.from(lineAt(count))
      const cut = 1 + ((count * 131) % line.length)
      const torn = await verifyBytes(Buffer.concat([clean.subarray(0, endOf(count)), line.subarray(0, cut)]))
      expect(torn.broken).toBeUndefined()
      expect(torn).toMatchObject({ records: count, end: endOf(count) })
      expect(torn.torn_tail?.length).toBe(cut)
    }
  })

  test('blocks may end anywhere, inside a character too', async () => {
    for (const step of [1, 7, 64]) {
      const few = clean.subarray(0, endOf(3))
      const result = await verifyRange(
        async (buffer, at) => few.copy(buffer, 0, at, at + Math.min(step, buffer.length)),
        {
          from: 0,
          to: few.length,
        },
      )
      expect(result).toMatchObject({ records: 3, end: few.length })
      expect(result.broken ?? result.torn_tail).toBeUndefined()
    }
  })
})

test('a file is verified from its first record, and a missing one is an error', async () => {
  const path = temporaryLog()
  await expect(verifyFile(path)).rejects.toMatchObject({ code: 'ENOENT' })
  writeFileSync(path, clean)
  const seen: number[] = []
  const result = await verifyFile(path, { onRecord: ({ seq }) => seen.push(seq) })
  expect(result).toMatchObject({ records: RECORDS, end: statSync(path).size })
  expect(seen).toEqual(Array.from({ length: RECORDS }, (_, i) => i + 1))
  writeFileSync(path, stored(lines.slice(1)))
  expect((await verifyFile(path)).broken).toMatchObject({ seq: 1, line: 1, kind: 'seq_gap' })
})

function endOf(count: number): number {
  return Buffer.byteLength(
    lines
      .slice(0, count)
      .map((line) => `${line}\n`)
      .join(''),
  )
}
