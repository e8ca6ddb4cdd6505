import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test, vi } from 'vitest'
import { openFileSink } from '#platform/audit-sink/file-sink.ts'
import { verifyFile } from '#platform/audit-sink/verify-range.ts'
import { PATIENCE } from '#test/support/patience.ts'
import { draft } from '#test/unit/core/audit/drafts.ts'
import { faultyFs } from './faulty-fs.ts'
import { keptLog, temporaryLog } from './temporary-log.ts'

const writerProcess = fileURLToPath(new URL('./writer-process.ts', import.meta.url))

test('a second process is refused while the first lives, and succeeds it when it was killed, with every acknowledged record', async () => {
  const path = temporaryLog()
  const child = spawn(process.execPath, ['--import', 'tsx', writerProcess, path], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const acknowledged: number[] = []
  const output = createInterface({ input: child.stdout })
  output.on('line', (line) => acknowledged.push(Number(line)))
  await vi.waitFor(() => expect(acknowledged.length).toBeGreaterThan(200), PATIENCE)
  await expect(openFileSink({ path, log: keptLog(), lock_wait_ms: 0 })).rejects.toMatchObject({
    code: 'audit_unavailable',
    message: expect.stringContaining('another process'),
  })

  child.kill('SIGKILL')
  await Promise.all([once(child, 'exit'), once(output, 'close')])
  const sink = await openFileSink({ path, log: keptLog() })
  onTestFinished(() => sink.close())
  expect(sink.head().seq).toBeGreaterThanOrEqual(Math.max(...acknowledged))
  await sink.append([draft(1)])
  expect(await verifyFile(path)).toMatchObject({ records: sink.head().seq, head: sink.head() })
})

test('the one who lost its lock stops, and continues behind what its successor wrote once it has the lock again', async () => {
  const path = temporaryLog()
  const { disk, fs } = faultyFs()
  const first = await openFileSink({ path, log: keptLog(), fs })
  onTestFinished(() => first.close())
  await first.append([draft(1)])
  rmSync(`${path}.lock`)
  await vi.waitFor(() => expect(first.healthy()).toBe(false), { timeout: 5000 })

  const second = await openFileSink({ path, log: keptLog(), lock_wait_ms: 0 })
  onTestFinished(() => second.close())
  await second.append([draft(2)])
  await expect(first.append([draft(3)])).rejects.toMatchObject({ code: 'audit_unavailable' })
  await second.append([draft(3)])
  await second.close()

  disk.device = `${path}.unreadable`
  await expect(first.append([draft(4)])).rejects.toMatchObject({ code: 'audit_unavailable' })
  disk.device = undefined
  const [, all] = await Promise.all([first.append([draft(4)]), first.idsAfter(0)])
  expect(all.length).toBeGreaterThanOrEqual(3)
  expect(first.healthy()).toBe(true)
  expect((await first.idsAfter(0)).map(({ id }) => id)).toEqual([1, 2, 3, 4].map((n) => draft(n).id))
  expect(await verifyFile(path)).toMatchObject({ records: 4, head: first.head() })
})

/** A writer by a lease, of which one has an epoch at a time. */
const claimOf = (epoch: number, domain = 'a database') => {
  let lost = false
  const lose = () => {
    lost = true
  }
  return { lose, claim: { domain, epoch, held: () => !lost } }
}

test('anyone who has the lease next takes the log over at once; the one before writes nothing, though it knows of no loss', async () => {
  const path = temporaryLog()
  const before = await openFileSink({ path, log: keptLog(), claim: claimOf(7).claim })
  onTestFinished(() => before.close())
  await before.append([draft(1)])
  const next = await openFileSink({ path, log: keptLog(), claim: claimOf(8).claim, lock_wait_ms: 0 })
  onTestFinished(() => next.close())
  const text = readFileSync(path, 'utf8')
  await expect(before.append([draft(2)])).rejects.toMatchObject({ code: 'audit_unavailable' })
  expect(readFileSync(path, 'utf8')).toBe(text)
  await next.append([draft(2)])
  expect(await verifyFile(path)).toMatchObject({ records: 2, head: next.head() })
})

test('a lease of another database takes nothing over while the writer lives, however high its epoch', async () => {
  const path = temporaryLog()
  const one = await openFileSink({ path, log: keptLog(), claim: claimOf(1).claim })
  onTestFinished(() => one.close())
  const other = claimOf(99, 'its restored copy').claim
  await expect(openFileSink({ path, log: keptLog(), claim: other, lock_wait_ms: 3_500 })).rejects.toMatchObject({
    message: expect.stringContaining('another process'),
  })
  await one.append([draft(1)])
})

test('anyone who has lost the lease writes nothing, and does not take its lock again', async () => {
  const path = temporaryLog()
  const { claim, lose } = claimOf(1)
  const sink = await openFileSink({ path, log: keptLog(), claim })
  onTestFinished(() => sink.close())
  lose()
  await expect(sink.append([draft(1)])).rejects.toMatchObject({ code: 'audit_unavailable' })
  await expect(sink.append([draft(2)])).rejects.toMatchObject({ code: 'audit_unavailable' })
  expect(readFileSync(path, 'utf8')).toBe('')
})

test('a writer that stood still between its check and its write is cut off again, and what it wrote is kept aside', async () => {
  const path = temporaryLog()
  const asked: string[] = []
  const isLateWrite = async (bytes: Uint8Array) => {
    asked.push(Buffer.from(bytes).toString())
    return true
  }
  const sink = await openFileSink({ path, log: keptLog(), isLateWrite })
  onTestFinished(() => sink.close())
  await sink.append([draft(1)])
  const text = readFileSync(path, 'utf8')
  writeFileSync(path, 'too late\n', { flag: 'a' })
  await sink.ready()
  expect(readFileSync(path, 'utf8')).toBe(text)
  // it arrives just before the next record
  writeFileSync(path, 'and again\n', { flag: 'a' })
  await expect(sink.append([draft(2)])).rejects.toMatchObject({ code: 'audit_unavailable' })
  await sink.append([draft(2)])
  expect(asked).toEqual(['too late\n', 'and again\n'])
  expect(readFileSync(`${path}.late`, 'utf8')).toBe('too late\nand again\n')
  expect(await verifyFile(path)).toMatchObject({ records: 2, head: sink.head() })
})
