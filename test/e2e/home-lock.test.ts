import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, rename, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterEach, expect, it } from 'vitest'
import { lockHome } from '#platform/embedded/home-lock.ts'
import { isRunning, poll } from '#platform/embedded/processes.ts'
import { programArgs } from '#platform/program/program-args.ts'
import { createEmbeddedHomes } from '../support/embedded-homes.ts'

const { cleanups, cleanUp, newHome } = createEmbeddedHomes()
afterEach(cleanUp)

/** A process that tries to take the home; `said` is what it found. */
function contend(home: string): { child: ChildProcess; first_line: Promise<string> } {
  const child = spawn(process.execPath, programArgs('test/support/hold-home.ts', home), {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  cleanups.push(async () => child.kill('SIGKILL'))
  const lines = createInterface({ input: child.stdout })
  return { child, first_line: once(lines, 'line').then(([line]) => String(line)) }
}

it('one of many that start at once gets the home, time and again after a kill -9', async () => {
  const home = await newHome()
  for (let round = 0; round < 3; round += 1) {
    const processes = Array.from({ length: 6 }, () => contend(home))
    const first_line = await Promise.all(processes.map((process_) => process_.first_line))
    expect(first_line.filter((line) => line === 'held')).toHaveLength(1)
    expect(first_line.filter((line) => line.includes(`runs on ${home}`))).toHaveLength(5)
    const holder = processes[first_line.indexOf('held')]?.child
    holder?.kill('SIGKILL')
    await poll(async () => !(await isRunning(holder?.pid ?? 0)), 5_000, 1)
  }
})

it('a home is free at once when the process that the record names is now another one', async () => {
  const home = await newHome()
  const { child, first_line } = contend(home)
  expect(await first_line).toBe('held')
  child.kill('SIGKILL')
  await once(child, 'exit')
  await writeFile(join(home, 'svc.pid'), `${process.pid}\n`)
  const lock = await lockHome(home)
  expect(lock.recovered).toBe(true)
  await lock.release()
  const next = await lockHome(home)
  expect(next.recovered).toBe(false)
  await next.release()
})

it('names who has the home', async () => {
  const home = await newHome()
  const { child, first_line } = contend(home)
  expect(await first_line).toBe('held')
  await expect(lockHome(home)).rejects.toThrow(`another svc (process ${child.pid}) runs on ${home}`)
})

it('is held by a process of another container, which shares the directory and not the names', async () => {
  const home = await newHome()
  const socket = join(home, 'svc-0123456789abcdef.sock')
  const other = createServer().listen(socket)
  await once(other, 'listening')
  cleanups.push(async () => other.close())
  await expect(lockHome(home)).rejects.toThrow(`runs on ${home}`)
  // what it leaves behind when it is killed
  await rename(socket, `${socket}.kept`)
  other.close()
  await once(other, 'close')
  await rename(`${socket}.kept`, socket)
  const lock = await lockHome(home)
  expect(await readdir(home)).not.toContain('svc-0123456789abcdef.sock')
  await lock.release()
  expect((await readdir(home)).filter((name) => name.endsWith('.sock'))).toEqual([])
})
