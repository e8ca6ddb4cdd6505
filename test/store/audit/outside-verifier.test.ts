import { writeFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { verifyFile } from '#platform/audit-sink/verify-range.ts'
import { needs } from '#test/support/programs/needs.ts'
import { clean, RECORDS, TAMPERINGS } from '#test/support/tampered-logs.ts'
import { verifyOutside } from '#test/support/verify-outside.ts'
import { chainedLines, draft } from '#test/unit/core/audit/drafts.ts'
import { temporaryLog } from '#test/unit/platform/audit-sink/temporary-log.ts'

describe('an outside verifier', needs('python3'), () => {
  test('that knows only the formula agrees on clean, torn and tampered logs', async () => {
    const path = temporaryLog()
    const outside = async (bytes: Buffer) => {
      writeFileSync(path, bytes)
      return await verifyOutside(path)
    }
    const verdict = await outside(clean)
    const { head } = await verifyFile(path)
    expect(verdict).toEqual({ status: 0, output: `chain ok: ${RECORDS} records, head ${RECORDS} ${head.hash}` })
    expect((await outside(clean.subarray(0, -100))).status).toBe(0)
    for (const tamper of Object.values(TAMPERINGS)) {
      const [bytes, seq] = tamper(77, 99)
      expect(await outside(bytes)).toMatchObject({
        status: 1,
        output: expect.stringContaining(`broken at record ${seq}:`),
      })
    }
  })

  test('writes numbers and strings of any kind to the same hash', async () => {
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
    expect(await verifyOutside(path)).toMatchObject({
      status: 0,
      output: expect.stringContaining(`${data.length} records`),
    })
  })
})
