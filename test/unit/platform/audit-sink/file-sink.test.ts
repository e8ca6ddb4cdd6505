import { appendFileSync, existsSync, readFileSync, renameSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { AuditDraft, AuditRecord } from '#core/audit/types.ts'
import { type FileSinkOptions, openFileSink } from '#platform/audit-sink/file-sink.ts'
import { verifyFile } from '#platform/audit-sink/verify-range.ts'
import { chainedLines, draft } from '#test/unit/core/audit/drafts.ts'
import { faultyFs } from './faulty-fs.ts'
import { keptLog, temporaryLog } from './temporary-log.ts'

const open = async (path: string, options: Partial<FileSinkOptions> = {}) => {
  const sink = await openFileSink({ path, log: keptLog(), ...options })
  onTestFinished(() => sink.close())
  return sink
}

const storedIds = (path: string): string[] =>
  readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line).event.id)

const named = (id: string): AuditDraft => draft(1, { id })

describe('appending', () => {
  test('answers with the records as they stand in the file', async () => {
    const path = temporaryLog()
    const sink = await open(path)
    const records = await sink.append([draft(1), draft(2)])
    const stored = readFileSync(path, 'utf8').trimEnd().split('\n')
    expect(stored.map((line): AuditRecord => JSON.parse(line))).toEqual(JSON.parse(JSON.stringify(records)))
    expect(stored).toEqual(chainedLines(2))
    expect(sink.head()).toEqual({ seq: 2, hash: records[1]?.hash })
    expect(await sink.append([])).toEqual([])
    expect(sink.healthy()).toBe(true)
  })

  test('64 writers make one chain, each in its own order, with far fewer fsyncs than records', async () => {
    const path = temporaryLog()
    const { disk, fs } = faultyFs()
    const sink = await open(path, { fs })
    disk.syncs = 0
    const seqs = await Promise.all(
      Array.from({ length: 64 }, async (_, writer) => {
        const mine: number[] = []
        for (let n = 0; n < 30; n += 1) {
          const records = await sink.append([named(`${writer}:${n}:a`), named(`${writer}:${n}:b`)])
          expect(records.map(({ event }) => event.id)).toEqual([`${writer}:${n}:a`, `${writer}:${n}:b`])
          mine.push(...records.map(({ seq }) => seq))
        }
        return mine
      }),
    )
    for (const mine of seqs) expect(mine).toEqual(mine.toSorted((a, b) => a - b))
    expect(seqs.flat().toSorted((a, b) => a - b)).toEqual(Array.from({ length: 64 * 60 }, (_, i) => i + 1))
    expect(await verifyFile(path)).toMatchObject({ records: 64 * 60, head: sink.head() })
    expect(disk.syncs).toBeLessThan(40)
  })

  test('a caller that does not wait for its answers keeps its order', async () => {
    const path = temporaryLog()
    const sink = await open(path)
    const answers = await Promise.all(Array.from({ length: 5000 }, (_, n) => sink.append([named(`n${n}`)])))
    expect(answers.map(([record]) => record?.seq)).toEqual(Array.from({ length: 5000 }, (_, i) => i + 1))
    expect(storedIds(path)).toEqual(Array.from({ length: 5000 }, (_, n) => `n${n}`))
  })

  test('a draft that cannot be written down is refused alone', async () => {
    const path = temporaryLog()
    const sink = await open(path)
    const endless: AuditDraft['data'] = {}
    endless.again = endless
    const [before, bad, after] = await Promise.allSettled([
      sink.append([named('before')]),
      sink.append([named('half'), draft(1, { data: endless })]),
      sink.append([named('after')]),
    ])
    expect([before?.status, bad?.status, after?.status]).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(storedIds(path)).toEqual(['before', 'after'])
    expect((await verifyFile(path)).broken).toBeUndefined()
    expect(sink.healthy()).toBe(true)
  })

  test('the log is for its owner only and its directory is made', async () => {
    const path = join(dirname(temporaryLog()), 'deep', 'er', 'audit.jsonl')
    await open(path)
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(statSync(dirname(path)).mode & 0o777).toBe(0o700)
  })
})

describe('opening again', () => {
  test('continues the chain', async () => {
    const path = temporaryLog()
    const first = await open(path)
    await first.append([draft(1)])
    await first.close()
    expect(first.healthy()).toBe(false)
    await expect(first.append([draft(2)])).rejects.toMatchObject({ code: 'audit_unavailable' })
    const second = await open(path)
    await second.append([draft(2)])
    expect(await verifyFile(path)).toMatchObject({ records: 2, head: second.head() })
  })

  test('closing waits for what was appended before', async () => {
    const path = temporaryLog()
    const sink = await open(path)
    const answers = Array.from({ length: 100 }, (_, n) => sink.append([draft(n + 1)]))
    await sink.close()
    await Promise.all(answers)
    expect((await verifyFile(path)).records).toBe(100)
  })

  test('cuts the record that a crash left unfinished, keeps the bytes beside the log and continues', async () => {
    const path = temporaryLog()
    const lines = chainedLines(5)
    const torn = lines[4]?.slice(0, 200) ?? ''
    writeFileSync(path, `${lines.slice(0, 4).join('\n')}\n${torn}`)
    const log = keptLog()
    const sink = await open(path, { log })
    expect(sink.head().seq).toBe(4)
    expect(readFileSync(`${path}.torn`, 'utf8')).toBe(torn)
    expect(log.messages).toEqual(['cut an unfinished audit record'])
    await sink.append([draft(5)])
    expect(await verifyFile(path)).toMatchObject({ records: 5, head: sink.head() })
  })

  test.each([0, 1, 999, 1000, 5000])('a log of %i records is continued from its tail alone', async (count) => {
    const path = temporaryLog()
    const lines = chainedLines(count)
    writeFileSync(path, lines.map((line) => `${line}\n`).join(''))
    const sink = await open(path)
    expect(sink.head().seq).toBe(count)
    const all = lines
      .map((line): AuditRecord => JSON.parse(line))
      .map(({ seq, hash, event }) => ({ id: event.id, seq, hash }))
    for (const seq of new Set([0, 1, Math.floor(count / 2), count - 1, count])) {
      expect(await sink.idsAfter(seq)).toEqual(all.slice(Math.max(0, seq)))
    }
  })

  test('refuses a log whose tail does not verify', async () => {
    const path = temporaryLog()
    const lines = chainedLines(500)
    writeFileSync(path, `${lines.with(450, lines[450]?.replace('require_hitl', 'allow_auto') ?? '').join('\n')}\n`)
    await expect(open(path)).rejects.toMatchObject({
      code: 'audit_unavailable',
      message: expect.stringContaining('451'),
    })
    expect(existsSync(`${path}.lock`)).toBe(false)
  })
})

describe('somebody else at the log', () => {
  const replace = (path: string, action: string) => {
    const lines = chainedLines(3, (n) => (n === 3 ? draft(n, { action }) : draft(n)))
    writeFileSync(`${path}.new`, `${lines.join('\n')}\n`)
    renameSync(`${path}.new`, path)
  }
  const tampers: Record<string, (path: string) => void> = {
    'appends to it': (path) => appendFileSync(path, '{}\n'),
    'cuts it': (path) => truncateSync(path, 100),
    'moves it away': (path) => renameSync(path, `${path}.1`),
    'replaces it by a copy with another end': (path) => replace(path, 'other.thing'),
    'replaces it by a copy of the same length with another end': (path) => replace(path, 'policy.Evaluated'),
  }
  test.each(Object.entries(tampers))('whoever %s stops the sink: nothing is acknowledged', async (_name, tamper) => {
    const path = temporaryLog()
    const sink = await open(path)
    await sink.append([draft(1), draft(2), draft(3)])
    const before = readFileSync(path)
    tamper(path)
    for (let attempt = 0; attempt < 3; attempt += 1) {
      await expect(sink.append([draft(4)])).rejects.toMatchObject({ code: 'audit_unavailable' })
      expect(sink.healthy()).toBe(false)
    }
    writeFileSync(path, before)
    await sink.append([draft(4)])
    expect(sink.healthy()).toBe(true)
    expect(await verifyFile(path)).toMatchObject({ records: 4, head: sink.head() })
  })
})
