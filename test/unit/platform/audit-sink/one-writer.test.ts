import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmdirSync, utimesSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test, vi } from 'vitest'
import { openFileSink } from '#platform/audit-sink/file-sink.ts'
import { verifyFile } from '#platform/audit-sink/verify-file.ts'
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
  await vi.waitFor(() => expect(acknowledged.length).toBeGreaterThan(200), { timeout: 20_000 })
  await expect(openFileSink({ path, log: keptLog(), lock_wait_ms: 0 })).rejects.toMatchObject({
    code: 'audit_unavailable',
    message: expect.stringContaining('another process'),
  })

  child.kill('SIGKILL')
  await Promise.all([once(child, 'exit'), once(output, 'close')])
  const long_ago = new Date(Date.now() - 60_000)
  utimesSync(`${path}.lock`, long_ago, long_ago)
  const sink = await openFileSink({ path, log: keptLog(), lock_wait_ms: 0 })
  onTestFinished(() => sink.close())
  expect(sink.head().seq).toBeGreaterThanOrEqual(Math.max(...acknowledged))
  await sink.append([draft(1)])
  expect(await verifyFile(path)).toMatchObject({ records: sink.head().seq, head: sink.head() })
})

test('whoever lost its lock stops, and continues behind what its successor wrote once it has the lock again', async () => {
  const path = temporaryLog()
  const { disk, fs } = faultyFs()
  const first = await openFileSink({ path, log: keptLog(), fs })
  onTestFinished(() => first.close())
  await first.append([draft(1)])
  rmdirSync(`${path}.lock`)
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
