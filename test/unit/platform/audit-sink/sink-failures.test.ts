import { existsSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { AuditRecord } from '#core/audit/types.ts'
import { openFileSink } from '#platform/audit-sink/file-sink.ts'
import { verifyFile } from '#platform/audit-sink/verify-range.ts'
import { draft } from '#test/unit/core/audit/drafts.ts'
import { faultyFs } from './faulty-fs.ts'
import { keptLog, temporaryLog } from './temporary-log.ts'

const openFaulty = async () => {
  const path = temporaryLog()
  const { disk, fs } = faultyFs()
  const log = keptLog()
  const sink = await openFileSink({ path, log, fs })
  onTestFinished(() => sink.close())
  return { path, disk, log, sink }
}

const recordsOf = (path: string): AuditRecord[] =>
  readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
const seqsOf = (path: string) => recordsOf(path).map(({ event }) => event.data.n)
const numbered = (n: number) => draft(n, { data: { n } })

describe('a full disk', () => {
  test('half a write acknowledges nothing, leaves nothing, and the sink recovers by itself when space returns', async () => {
    const { path, disk, log, sink } = await openFaulty()
    await sink.append([numbered(1), numbered(2)])
    disk.free_bytes = 700
    const refused = await Promise.allSettled([sink.append([numbered(3)]), sink.append([numbered(4), numbered(5)])])
    for (const answer of refused)
      expect(answer).toMatchObject({ status: 'rejected', reason: { code: 'audit_unavailable' } })
    expect(sink.healthy()).toBe(false)
    expect(sink.head().seq).toBe(2)
    await expect(sink.append([numbered(3)])).rejects.toMatchObject({ code: 'audit_unavailable' })

    disk.free_bytes = Number.POSITIVE_INFINITY
    await sink.append([numbered(3)])
    await sink.append([numbered(4), numbered(5)])
    expect(sink.healthy()).toBe(true)
    expect(seqsOf(path)).toEqual([1, 2, 3, 4, 5])
    expect(await verifyFile(path)).toMatchObject({ records: 5, head: sink.head() })
    expect(log.messages.filter((message) => message === 'audit sink failed')).toHaveLength(1)
    expect(log.messages.at(-1)).toBe('audit sink recovered')
  })

  test.runIf(existsSync('/dev/full'))('the always-full device acknowledges nothing', async () => {
    const { path, disk, sink } = await openFaulty()
    disk.device = '/dev/full'
    disk.failing_syncs = 1
    await expect(sink.append([numbered(1)])).rejects.toMatchObject({ code: 'audit_unavailable' })
    for (let attempt = 0; attempt < 3; attempt += 1) {
      await expect(sink.append([numbered(1)])).rejects.toMatchObject({ code: 'audit_unavailable' })
    }
    disk.device = undefined
    await sink.append([numbered(1)])
    expect(seqsOf(path)).toEqual([1])
  })
})

describe('a failed fsync', () => {
  test.each(['kept', 'lost'] as const)(
    'is never just repeated: bytes that were %s are cut, then rewritten',
    async (fate) => {
      const { path, disk, sink } = await openFaulty()
      await sink.append([numbered(1)])
      disk.failing_syncs = 1
      disk.on_failed_sync = fate
      await expect(sink.append([numbered(2), numbered(3)])).rejects.toMatchObject({ code: 'audit_unavailable' })
      expect(sink.head().seq).toBe(1)
      const [again] = await sink.append([numbered(2)])
      expect(again?.seq).toBe(2)
      expect(seqsOf(path)).toEqual([1, 2])
      expect(await verifyFile(path)).toMatchObject({ records: 2, head: sink.head() })
    },
  )

  test('of a device that cannot even be cut keeps the sink shut until it can', async () => {
    const { path, disk, sink } = await openFaulty()
    await sink.append([numbered(1)])
    disk.failing_syncs = 1
    disk.refuse_truncate = true
    for (let attempt = 0; attempt < 3; attempt += 1) {
      await expect(sink.append([numbered(2)])).rejects.toMatchObject({ code: 'audit_unavailable' })
    }
    disk.refuse_truncate = false
    await sink.append([numbered(2)])
    expect(seqsOf(path)).toEqual([1, 2])
  })

  test('the one who was not answered before a crash asks for the ids: the log keeps what it holds', async () => {
    const { path, disk, sink } = await openFaulty()
    await sink.append([numbered(1)])
    disk.failing_syncs = 1
    await expect(sink.append([numbered(2)])).rejects.toMatchObject({ code: 'audit_unavailable' })
    await sink.close()
    const successor = await openFileSink({ path, log: keptLog() })
    onTestFinished(() => successor.close())
    expect((await successor.idsAfter(1)).map(({ id }) => id)).toEqual([numbered(2).id])
  })
})

test('under any mix of failures, what is acknowledged is durable, in the log once, and in the order of its caller', async () => {
  const fault = fc.oneof(
    fc.record({ free_bytes: fc.nat(4000) }),
    fc.record({
      failing_syncs: fc.integer({ min: 1, max: 3 }),
      on_failed_sync: fc.constantFrom('kept' as const, 'lost' as const),
    }),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(fc.integer({ min: 1, max: 20 }), fault), { maxLength: 6 }), async (faults) => {
      const { path, disk, sink } = await openFaulty()
      const acknowledged: number[] = []
      let next = 1
      const appendSome = async (count: number) => {
        const from = next
        next += count
        const attempts = Array.from({ length: count }, (_, i) => from + i).map(async (n) => {
          // Retries until it is told that the record is durable, as the sequencer does.
          for (;;) {
            const answer = await sink.append([numbered(n)]).catch(() => undefined)
            if (answer) break
            disk.free_bytes = Number.POSITIVE_INFINITY
          }
          expect(disk.synced_bytes).toBeGreaterThanOrEqual(
            Buffer.byteLength(readFileSync(path, 'utf8').split(`"n":${n}}`)[0] ?? ''),
          )
          acknowledged.push(n)
        })
        await Promise.all(attempts)
      }
      for (const [count, change] of faults) {
        await appendSome(count)
        Object.assign(disk, change)
      }
      await appendSome(5)
      expect(acknowledged).toEqual(Array.from({ length: next - 1 }, (_, i) => i + 1))
      expect(seqsOf(path)).toEqual(acknowledged)
      expect(await verifyFile(path)).toMatchObject({ records: next - 1, head: sink.head() })
      await sink.close()
    }),
    { numRuns: 40 },
  )
})
