import { execFileSync, spawnSync } from 'node:child_process'
import { statSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { canonical } from '#core/audit/canonical.ts'
import { verifyFile } from '#platform/audit-sink/verify-file.ts'
import { verifyRange } from '#platform/audit-sink/verify-range.ts'
import { chainedLines, draft, sha256 } from '#test/unit/core/audit/drafts.ts'
import { temporaryLog } from './temporary-log.ts'

const RECORDS = 2000
const lines = chainedLines(RECORDS)
const clean = Buffer.from(`${lines.join('\n')}\n`)
const outsideVerifier = fileURLToPath(new URL('../../../support/verify-audit.py', import.meta.url))

const verifyBytes = (bytes: Buffer, options = {}) =>
  verifyRange(async (buffer, position) => bytes.copy(buffer, 0, position, position + buffer.length), {
    from: 0,
    to: bytes.length,
    prev: { seq: 0, hash: '0'.repeat(64) },
    ...options,
  })

/** Puts lines together again after they were tampered with. */
const stored = (tampered: string[]) => Buffer.from(`${tampered.join('\n')}\n`)

/** Every kind of tampering, at the record with index `at`; answers the bytes and the record that must be named. */
const TAMPERINGS: Record<string, (at: number, other: number) => [Buffer, number]> = {
  'flips a bit of the event': (at) => [stored(lines.with(at, lineAt(at).replace('engine', 'dngine'))), at + 1],
  'changes a value': (at) => [stored(lines.with(at, lineAt(at).replace('require_hitl', 'allow_auto'))), at + 1],
  'deletes a record': (at) => [stored(lines.toSpliced(at, 1)), at + 1],
  'deletes a newline': (at) => [stored(lines.toSpliced(at, 2, lineAt(at) + lineAt(at + 1))), at + 1],
  'inserts a foreign record': (at) => [stored(lines.toSpliced(at, 0, foreignRecord(at))), at + 2],
  'inserts an empty line': (at) => [stored(lines.toSpliced(at, 0, '')), at + 1],
  'swaps two records': (at, other) => [
    stored(lines.with(at, lineAt(other)).with(other, lineAt(at))),
    Math.min(at, other) + 1,
  ],
  'duplicates a record': (at) => [stored(lines.toSpliced(at, 0, lineAt(at))), at + 2],
  'cuts a line in the middle': (at) => [stored(lines.with(at, lineAt(at).slice(0, 300))), at + 1],
  'cuts the file in the middle of a line and continues': (at) => [
    stored(lines.with(at, lineAt(at).slice(0, 300) + lineAt(at + 1).slice(300))),
    at + 1,
  ],
  'edits prev_hash': (at) => [stored(lines.with(at, lineAt(at).replace(/"prev_hash":"./, '"prev_hash":"x'))), at + 1],
  'edits hash': (at) => [stored(lines.with(at, lineAt(at).replace(/"hash":"(.)/, otherDigit))), at + 1],
  'replaces a record and hashes it anew': (at) => [stored(lines.with(at, foreignRecord(at))), at + 2],
}

const lineAt = (at: number): string => lines[at] ?? ''
const otherDigit = (_all: string, digit: string) => `"hash":"${digit === '0' ? '1' : '0'}`

/** A record of our own making that follows the one before it rightly. */
const foreignRecord = (at: number): string => {
  const prev_hash = at === 0 ? '0'.repeat(64) : JSON.parse(lineAt(at - 1)).hash
  const event = canonical({ ...draft(9999), v: 1, seq: at + 1 })
  return `{"seq":${at + 1},"hash":"${sha256(prev_hash + event)}","prev_hash":"${prev_hash}","event":${event}}`
}

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

describe('an outside verifier', () => {
  test('that knows only the formula agrees on clean, torn and tampered logs', async () => {
    const path = temporaryLog()
    const outside = (bytes: Buffer) => {
      writeFileSync(path, bytes)
      const { status, stdout } = spawnSync('python3', [outsideVerifier, path], { encoding: 'utf8' })
      return { status, said: stdout.trim() }
    }
    const { head } = await verifyBytes(clean)
    expect(outside(clean)).toEqual({ status: 0, said: `chain ok: ${RECORDS} records, head ${RECORDS} ${head.hash}` })
    expect(outside(clean.subarray(0, -100)).status).toBe(0)
    for (const tamper of Object.values(TAMPERINGS)) {
      const [bytes, seq] = tamper(77, 99)
      expect(outside(bytes)).toMatchObject({ status: 1, said: expect.stringContaining(`broken at record ${seq}:`) })
    }
  })

  test('writes numbers and strings of any kind to the same hash', () => {
    const path = temporaryLog()
    const values = fc.sample(
      fc.dictionary(
        fc.string({ unit: 'grapheme' }),
        fc.oneof(
          fc.double({ noNaN: true, noDefaultInfinity: true }),
          fc.maxSafeInteger(),
          fc.string({ unit: 'grapheme' }),
        ),
      ),
      { numRuns: 500, seed: 42 },
    )
    const edges = {
      a: 1e21,
      b: 1e-7,
      c: 123456789012345680000,
      d: 5e-324,
      e: 1.7976931348623157e308,
      f: -0,
      g: 0.000001,
    }
    const data = [edges, ...values].map((value) => JSON.parse(JSON.stringify(value)))
    writeFileSync(path, `${chainedLines(data.length, (n) => draft(n, { data: data[n - 1] })).join('\n')}\n`)
    expect(execFileSync('python3', [outsideVerifier, path], { encoding: 'utf8' })).toContain(`${data.length} records`)
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
