import { chmod, chown, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execa } from 'execa'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { findFreePort, isPortFree } from '#platform/embedded/free-port.ts'
import { isAlive, isRunning, poll } from '#platform/embedded/processes.ts'
import type { Stack } from '#platform/embedded/supervisor.ts'
import { withTemporal } from '#platform/temporal/temporal-connection.ts'
import { PATIENCE } from '#test/support/patience.ts'
import { temporalProgram } from '../support/embedded.ts'
import { createEmbeddedHomes, queryOnce } from '../support/embedded-homes.ts'
import { startForgotten, startSupervised } from '../support/supervised.ts'

/** initdb wants an account that has a name */
const NOBODY = 65_534
const isRoot = process.getuid?.() === 0
const { cleanups, cleanUp, newHome, occupy } = createEmbeddedHomes()
afterEach(cleanUp)

describe('a supervisor', () => {
  const homes = createEmbeddedHomes()
  let home: string
  let svc: Awaited<ReturnType<typeof startSupervised>>
  let stack: Stack

  beforeAll(async () => {
    home = await homes.newHome()
    svc = await startSupervised(home, homes.cleanups)
    stack = await svc.ready()
  })
  afterAll(homes.cleanUp)

  it('brings everything up', async () => {
    const started = await svc.journal()
    expect(started.map(({ event }) => event)).toEqual([
      'started with a database and an engine',
      'started with a database and an engine',
    ])
    expect(await queryOnce(stack.databaseUrl, (db) => db`select 1 as one`)).toEqual([{ one: 1 }])
  })

  it('refuses a second start on the same data directory and names the first', async () => {
    const second = await startSupervised(home, homes.cleanups)
    expect(await second.exit()).toBe(75)
    expect(second.errors()).toContain(`process ${svc.pid}`)
    expect(second.errors()).toContain(home)
  })

  it('starts a child again that crashed', async () => {
    const [victim] = (await svc.journal()).filter(({ name }) => name === 'worker')
    process.kill(victim?.pid ?? 0, 'SIGKILL')
    const second = await poll(
      async () => (await svc.journal()).find(({ name, pid }) => name === 'worker' && pid !== victim?.pid),
      PATIENCE.timeout,
    )
    expect(second?.event).toBe('started with a database and an engine')
  })

  it('starts the database and the engine again on their ports, also where these are held for a moment', async () => {
    const servers = [
      await readPostmaster(home),
      JSON.parse(await readFile(join(home, 'temporal.json'), 'utf8')) as { pid: number; port: number },
    ]
    // it notices nothing before the ports are held
    process.kill(svc.pid, 'SIGSTOP')
    for (const { pid } of servers) process.kill(pid, 'SIGKILL')
    for (const { port } of servers) await poll(() => isPortFree(port), PATIENCE.timeout)
    for (const { port } of servers) await occupy(port)
    process.kill(svc.pid, 'SIGCONT')
    await poll(() => svc.errors().match(/waiting for it/g)?.length === servers.length, PATIENCE.timeout)
    await cleanUp()
    const answered = await poll(
      () =>
        queryOnce(stack.databaseUrl, (db) => db`select 1`).then(
          () => true,
          () => false,
        ),
      PATIENCE.timeout,
      100,
    )
    expect(answered).toBe(true)
    const namespace = await poll(
      () =>
        withTemporal({ address: stack.temporalAddress, namespace: 'default' }, async () => undefined).then(
          () => true,
          () => false,
        ),
      PATIENCE.timeout,
      100,
    )
    expect(namespace).toBe(true)
  })

  it('stops everything in order on SIGTERM and exits 0', async () => {
    expect(await svc.terminate()).toBe(0)
    const journal = await svc.journal()
    const ended = journal.filter(({ event }) => event === 'terminated')
    expect(ended.map(({ name }) => name)).toEqual(['api', 'worker'])
    expect(await poll(() => journal.every(({ pid }) => !isAlive(pid)), PATIENCE.timeout)).toBe(true)
    await expect(queryOnce(stack.databaseUrl, (db) => db`select 1`)).rejects.toThrow()
  })
})

describe('the supervisor', () => {
  it('adopts what a killed supervisor left running, while its children left by themselves', async () => {
    const home = await newHome()
    const first = await startSupervised(home, cleanups)
    const before = await first.ready()
    await queryOnce(before.databaseUrl, (db) => db`create table kept as select 42 as answer`)
    process.kill(first.pid, 'SIGKILL')
    await poll(
      async () => (await first.journal()).filter(({ event }) => event === 'orphaned').length === 2,
      PATIENCE.timeout,
    )
    expect((await first.journal()).filter(({ event }) => event === 'orphaned')).toHaveLength(2)

    const second = await startSupervised(home, cleanups)
    const after = await second.ready()
    expect(after).toEqual(before)
    expect(await queryOnce(after.databaseUrl, (db) => db`select answer from kept`)).toEqual([{ answer: 42 }])
    const pid = Number(JSON.parse(await readFile(join(home, 'temporal.json'), 'utf8')).pid)
    expect(await second.terminate()).toBe(0)
    expect(await poll(() => !isAlive(pid), PATIENCE.timeout)).toBe(true)
  })

  it.each([
    ['a supervisor that was killed', (pid: number) => process.kill(pid, 'SIGKILL')],
    ['a supervisor whose whole process group was killed', (pid: number) => process.kill(-pid, 'SIGKILL')],
  ])('starts at once after %s, also when its parent never reads its end', async (_, kill) => {
    const home = await newHome()
    const first = await startForgotten(home, cleanups)
    kill(first.pid)
    await poll(async () => !(await isRunning(first.pid)), 5_000, 1)
    // a zombie: it is over, and its id is still taken
    expect(isAlive(first.pid)).toBe(true)

    const began = performance.now()
    const second = await startSupervised(home, cleanups)
    expect(await second.ready()).toEqual(first.stack)
    expect(performance.now() - began).toBeLessThan(20_000)
    const third = await startSupervised(home, cleanups)
    expect(await third.exit()).toBe(75)
    expect(await second.terminate()).toBe(0)
  })

  it('gives the Web UI to who asks for it, also when the engine that was left behind has none', async () => {
    const home = await newHome()
    const first = await startSupervised(home, cleanups)
    const before = await first.ready()
    expect(before.temporalUiUrl).toBeUndefined()
    process.kill(first.pid, 'SIGKILL')

    const second = await startSupervised(home, cleanups, { SVC_TEMPORAL_UI: '1' })
    const { temporalUiUrl = '', temporalAddress } = await second.ready()
    expect(temporalAddress).toBe(before.temporalAddress)
    expect((await fetch(temporalUiUrl)).status).toBe(200)
    expect((await fetch(temporalUiUrl, { headers: { origin: 'http://evil.test' } })).status).toBe(403)
    expect(await second.terminate()).toBe(0)
    await expect(fetch(temporalUiUrl)).rejects.toThrow()
  })

  it('says which port is taken and leaves nothing running', async () => {
    const home = await newHome()
    const port = await findFreePort(26_900)
    await occupy(port)
    const svc = await startSupervised(home, cleanups, { SVC_PORT: String(port) })
    expect(await svc.exit()).toBe(75)
    expect(svc.errors()).toContain('SVC_PORT')
    expect(await readdir(home)).not.toContain('svc.lock')
  })

  it('stops cleanly when the signal comes in the middle of the start', async () => {
    const home = await newHome()
    const svc = await startSupervised(home, cleanups)
    await poll(async () => (await readdir(home)).includes('postgres.new'), 10_000, 5)
    expect(await svc.terminate()).toBe(0)
    expect(await readFile(join(home, 'postgres', 'postmaster.pid'), 'utf8').catch(() => 'gone')).toBe('gone')
    expect(await readdir(home)).not.toContain('temporal.json')
  })

  it.runIf(isRoot)('runs as an ordinary user', async () => {
    const home = await mkdtemp(join(tmpdir(), 'svc-test-user-'))
    cleanups.push(() => rm(home, { recursive: true, force: true }))
    await chown(home, NOBODY, NOBODY)
    await chmod(home, 0o700)
    const cli = await reachableProgram(home)
    const svc = await startSupervised(
      home,
      cleanups,
      { SVC_TEMPORAL_CLI: cli, HOME: home },
      { uid: NOBODY, gid: NOBODY },
    )
    const stack = await svc.ready()
    expect(await queryOnce(stack.databaseUrl, (db) => db`select 1 as one`)).toEqual([{ one: 1 }])
    expect((await stat(join(home, 'postgres'))).uid).toBe(NOBODY)
    expect(await svc.terminate()).toBe(0)
  })
})

async function readPostmaster(home: string): Promise<{ pid: number; port: number }> {
  const lines = (await readFile(join(home, 'postgres', 'postmaster.pid'), 'utf8')).split('\n')
  return { pid: Number(lines[0]), port: Number(lines[3]) }
}

/** The cached program may be under root's private home: the ordinary user gets a copy. */
async function reachableProgram(home: string): Promise<string> {
  const { binary } = await temporalProgram()
  const path = (await execa('sh', ['-c', `command -v ${binary}`])).stdout
  await execa('install', ['-m', '755', path, join(home, 'temporal')])
  return join(home, 'temporal')
}
