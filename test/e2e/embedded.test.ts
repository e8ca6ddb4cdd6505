import { chmod, chown, mkdir, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import { afterEach, describe, expect, it } from 'vitest'
import { findFreePort } from '#platform/embedded/free-port.ts'
import { startPostgres } from '#platform/embedded/postgres.ts'
import { prepareNamespace } from '#platform/embedded/prepare-namespace.ts'
import { isAlive, poll } from '#platform/embedded/processes.ts'
import { startTemporal } from '#platform/embedded/temporal.ts'
import { withTemporal } from '#platform/temporal/temporal-connection.ts'
import { createDb } from '#store/db.ts'
import { createTestHome, temporalProgram, testLog } from '../support/embedded.ts'
import { startSupervised } from '../support/supervised.ts'

const SVC = fileURLToPath(new URL('../../cli/svc.mjs', import.meta.url))
/** initdb wants an account that has a name */
const NOBODY = 65_534
const isRoot = process.getuid?.() === 0
const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

/** Removed after the test, after what was started in it was stopped. */
async function newHome(): Promise<string> {
  const { home, remove } = await createTestHome()
  cleanups.push(remove)
  return home
}

async function openPostgres(home: string, port?: number) {
  const server = await startPostgres({ home, log: testLog, ...(port === undefined ? {} : { port }) })
  cleanups.push(server.stop)
  return server
}

async function openTemporal(home: string, port = 27_433) {
  const program = await temporalProgram()
  const server = await startTemporal({ home, ...program, port, uiPort: port + 1_000, log: testLog, synchronous: 1 })
  cleanups.push(server.stop)
  return server
}

async function query<T>(url: string, work: (db: ReturnType<typeof createDb>) => Promise<T>): Promise<T> {
  const db = createDb(url, { max: 1 })
  try {
    return await work(db)
  } finally {
    await db.end({ timeout: 1 })
  }
}

/** Holds a port for the length of the test. */
async function occupy(port: number): Promise<void> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  cleanups.push(() => new Promise((resolve) => server.close(resolve)))
}

describe('PostgreSQL', () => {
  it('keeps its data over a stop and a start, and asks for the password', async () => {
    const home = await newHome()
    const first = await openPostgres(home)
    expect(first.adopted).toBe(false)
    await query(first.url, (db) => db`create table kept as select 42 as answer`)
    await first.stop()
    expect(await poll(() => !isAlive(first.pid), 2_000)).toBe(true)

    const second = await openPostgres(home)
    expect(second.port).toBe(first.port)
    expect(await query(second.url, (db) => db`select answer from kept`)).toEqual([{ answer: 42 }])
    const stranger = new URL(second.url)
    stranger.password = 'guess'
    await expect(query(stranger.toString(), (db) => db`select 1`)).rejects.toThrow(/password authentication failed/)
    expect((await stat(join(home, 'postgres-password'))).mode & 0o777).toBe(0o600)
  })

  it('stays durable: nothing that trades safety for speed is switched off', async () => {
    const { url } = await openPostgres(await newHome())
    const settings = await query(
      url,
      (db) => db<{ name: string; setting: string }[]>`
      select name, setting from pg_settings where name in ('fsync', 'synchronous_commit', 'full_page_writes', 'listen_addresses', 'max_connections') order by name`,
    )
    expect(Object.fromEntries(settings.map(({ name, setting }) => [name, setting]))).toEqual({
      fsync: 'on',
      full_page_writes: 'on',
      listen_addresses: '127.0.0.1',
      max_connections: '200',
      synchronous_commit: 'on',
    })
  })

  it('moves to the next free port when its port is taken', async () => {
    const wanted = await findFreePort(25_500)
    await occupy(wanted)
    const { port } = await openPostgres(await newHome(), wanted)
    expect(port).toBeGreaterThan(wanted)
  })

  it('starts again after its server was killed, with every acknowledged row', async () => {
    const home = await newHome()
    const first = await openPostgres(home)
    await query(first.url, (db) => db`create table kept as select 42 as answer`)
    process.kill(first.pid, 'SIGKILL')
    await poll(() => !isAlive(first.pid), 5_000)
    const second = await openPostgres(home)
    expect(second.adopted).toBe(false)
    expect(await query(second.url, (db) => db`select answer from kept`)).toEqual([{ answer: 42 }])
  })

  it('does not mistake a stranger that got the process id of a dead server for the server', async () => {
    const home = await newHome()
    const first = await openPostgres(home)
    await first.stop()
    const lines = [process.pid, join(home, 'postgres'), 0, first.port, '', '127.0.0.1', '', 'ready']
    await execa('sh', [
      '-c',
      `printf '%s\\n' ${lines.map((line) => `'${line}'`).join(' ')} > ${join(home, 'postgres', 'postmaster.pid')}`,
    ])
    const second = await openPostgres(home)
    expect(second.adopted).toBe(false)
    expect(isAlive(process.pid)).toBe(true)
  })

  it.runIf(isRoot)('never runs as root, even in a home that only root may enter', async () => {
    const home = await newHome()
    const hidden = join(home, 'private')
    await mkdir(hidden, { mode: 0o700 })
    const server = await openPostgres(hidden)
    expect((await stat(join(hidden, 'postgres'))).uid).not.toBe(0)
    expect((await stat(`/proc/${server.pid}`)).uid).not.toBe(0)
    expect((await stat(hidden)).mode & 0o777).toBe(0o700)
    await server.stop()
    expect((await openPostgres(hidden)).adopted).toBe(false)
  })
})

describe('Temporal', () => {
  it('keeps its namespace settings over a stop and a start', async () => {
    const home = await newHome()
    const first = await openTemporal(home)
    expect(first.adopted).toBe(false)
    await withTemporal({ address: first.address, namespace: 'default' }, async (connection) => {
      await prepareNamespace({ connection, namespace: 'default', log: testLog, owned: true })
      await prepareNamespace({ connection, namespace: 'default', log: testLog, owned: true })
    })
    await first.stop()
    expect(await poll(() => !isAlive(first.pid), 2_000)).toBe(true)

    const second = await openTemporal(home)
    await withTemporal({ address: second.address, namespace: 'default' }, async (connection) => {
      const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace: 'default' })
      expect(Object.keys(customAttributes ?? {})).toEqual(
        expect.arrayContaining(['WorkspaceId', 'TemplateId', 'RunStatus', 'Lane', 'TriggerKind']),
      )
      const { config } = await connection.workflowService.describeNamespace({ namespace: 'default' })
      expect(Number(config?.workflowExecutionRetentionTtl?.seconds)).toBe(30 * 24 * 3_600)
    })
    expect((await readdir(home)).filter((name) => /^temporal-1\.\d+\.db$/.test(name))).toHaveLength(1)
  })

  it('moves to the next free ports when its ports are taken', async () => {
    const wanted = await findFreePort(27_600)
    await occupy(wanted)
    await occupy(wanted + 1_000)
    const server = await openTemporal(await newHome(), wanted)
    expect(server.port).toBeGreaterThan(wanted)
    expect(server.uiPort).toBeGreaterThan(wanted + 1_000)
    expect((await fetch(server.uiUrl)).status).toBe(200)
  })
})

describe('the supervisor', () => {
  it('brings everything up, stops it in order on SIGTERM and exits 0', async () => {
    const svc = await startSupervised(await newHome(), cleanups)
    const stack = await svc.ready()
    const started = await svc.journal()
    expect(started.map(({ event }) => event)).toEqual([
      'started with a database and an engine',
      'started with a database and an engine',
    ])
    expect(await query(stack.databaseUrl, (db) => db`select 1 as one`)).toEqual([{ one: 1 }])

    expect(await svc.terminate()).toBe(0)
    const ended = (await svc.journal()).filter(({ event }) => event === 'terminated')
    expect(ended.map(({ name }) => name)).toEqual(['api', 'worker'])
    expect(await poll(() => started.every(({ pid }) => !isAlive(pid)), 2_000)).toBe(true)
    await expect(query(stack.databaseUrl, (db) => db`select 1`)).rejects.toThrow()
  })

  it('starts a child again that crashed', async () => {
    const svc = await startSupervised(await newHome(), cleanups)
    await svc.ready()
    const [victim] = (await svc.journal()).filter(({ name }) => name === 'worker')
    process.kill(victim?.pid ?? 0, 'SIGKILL')
    const second = await poll(
      async () => (await svc.journal()).find(({ name, pid }) => name === 'worker' && pid !== victim?.pid),
      10_000,
    )
    expect(second?.event).toBe('started with a database and an engine')
    expect(await svc.terminate()).toBe(0)
    expect(await poll(() => !isAlive(second?.pid ?? 0), 2_000)).toBe(true)
  })

  it('starts the database and the engine again on their ports when they were killed', async () => {
    const home = await newHome()
    const svc = await startSupervised(home, cleanups)
    const stack = await svc.ready()
    const pids = [
      Number((await readFile(join(home, 'postgres', 'postmaster.pid'), 'utf8')).split('\n')[0]),
      Number(JSON.parse(await readFile(join(home, 'temporal.json'), 'utf8')).pid),
    ]
    for (const pid of pids) process.kill(pid, 'SIGKILL')
    const answered = await poll(
      () =>
        query(stack.databaseUrl, (db) => db`select 1`).then(
          () => true,
          () => false,
        ),
      15_000,
      100,
    )
    expect(answered).toBe(true)
    const namespace = await poll(
      () =>
        withTemporal({ address: stack.temporalAddress, namespace: 'default' }, async () => undefined).then(
          () => true,
          () => false,
        ),
      15_000,
      100,
    )
    expect(namespace).toBe(true)
    expect(await svc.terminate()).toBe(0)
  })

  it('refuses a second start on the same data directory and names the first', async () => {
    const home = await newHome()
    const svc = await startSupervised(home, cleanups)
    await svc.ready()
    const second = await startSupervised(home, cleanups)
    expect(await second.exit()).toBe(75)
    expect(second.errors()).toContain(`process ${svc.pid}`)
    expect(second.errors()).toContain(home)
    expect(await svc.terminate()).toBe(0)
  })

  it('adopts what a killed supervisor left running, while its children left by themselves', async () => {
    const home = await newHome()
    const first = await startSupervised(home, cleanups)
    const before = await first.ready()
    await query(before.databaseUrl, (db) => db`create table kept as select 42 as answer`)
    process.kill(first.pid, 'SIGKILL')
    await poll(async () => (await first.journal()).filter(({ event }) => event === 'orphaned').length === 2, 10_000)
    expect((await first.journal()).filter(({ event }) => event === 'orphaned')).toHaveLength(2)

    const second = await startSupervised(home, cleanups)
    const after = await second.ready()
    expect(after).toEqual(before)
    expect(await query(after.databaseUrl, (db) => db`select answer from kept`)).toEqual([{ answer: 42 }])
    const pid = Number(JSON.parse(await readFile(join(home, 'temporal.json'), 'utf8')).pid)
    expect(await second.terminate()).toBe(0)
    expect(await poll(() => !isAlive(pid), 2_000)).toBe(true)
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
    expect(await query(stack.databaseUrl, (db) => db`select 1 as one`)).toEqual([{ one: 1 }])
    expect((await stat(join(home, 'postgres'))).uid).toBe(NOBODY)
    expect(await svc.terminate()).toBe(0)
  })
})

describe('the command', () => {
  const svc = (args: string[], env: Record<string, string>) =>
    execa(process.execPath, [SVC, ...args], { env, reject: false })

  it('ends with 78 and every problem when the settings cannot be used', async () => {
    const { exitCode, stderr, stdout } = await svc(['start'], {
      SVC_PORT: 'abc',
      SVC_HOST: '0.0.0.0',
      SVC_ALLOW_OPEN: '',
    })
    expect(exitCode).toBe(78)
    expect(stderr).toContain('SVC_PORT is "abc"; it takes an integer from 1 to 65535')
    expect(stderr).toContain('SVC_HOST is "0.0.0.0"')
    expect(stdout).toBe('')
  })

  it('prints the effective settings without their secrets', async () => {
    const { exitCode, stdout } = await svc(['config', '--json'], { SVC_PORT: '9191', TEMPORAL_API_KEY: 'hunter2' })
    expect(exitCode).toBe(0)
    expect(JSON.parse(stdout)).toContainEqual(
      expect.objectContaining({ name: 'SVC_PORT', value: '9191', source: 'env' }),
    )
    expect(stdout).not.toContain('hunter2')
  })

  it('knows its version', async () => {
    expect((await svc(['--version'], {})).stdout).toMatch(/^\d+\.\d+\.\d+$/)
  })
})

/** The cached program may be under root's private home: the ordinary user gets a copy. */
async function reachableProgram(home: string): Promise<string> {
  const { binary } = await temporalProgram()
  const path = (await execa('sh', ['-c', `command -v ${binary}`])).stdout
  await execa('install', ['-m', '755', path, join(home, 'temporal')])
  return join(home, 'temporal')
}
