import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'
import { afterEach, describe, expect, it } from 'vitest'
import { findFreePort } from '#platform/embedded/free-port.ts'
import { prepareNamespace } from '#platform/embedded/prepare-namespace.ts'
import { isAlive, isRunning, poll } from '#platform/embedded/processes.ts'
import { withTemporal } from '#platform/temporal/temporal-connection.ts'
import { PATIENCE } from '#test/support/patience.ts'
import { testLog } from '../support/embedded.ts'
import { createEmbeddedHomes, queryOnce } from '../support/embedded-homes.ts'

const isRoot = process.getuid?.() === 0
const { cleanUp, newHome, openPostgres, openTemporal, occupy } = createEmbeddedHomes()
afterEach(cleanUp)

describe('PostgreSQL', () => {
  it('keeps its data over a stop and a start, and asks for the password', async () => {
    const home = await newHome()
    const first = await openPostgres(home)
    expect(first.adopted).toBe(false)
    await queryOnce(first.url, (db) => db`create table kept as select 42 as answer`)
    await first.stop()
    expect(await poll(() => !isAlive(first.pid), PATIENCE.timeout)).toBe(true)

    const second = await openPostgres(home)
    expect(second.port).toBe(first.port)
    expect(await queryOnce(second.url, (db) => db`select answer from kept`)).toEqual([{ answer: 42 }])
    const stranger = new URL(second.url)
    stranger.password = 'guess'
    await expect(queryOnce(stranger.toString(), (db) => db`select 1`)).rejects.toThrow(/password authentication failed/)
    expect((await stat(join(home, 'postgres-password'))).mode & 0o777).toBe(0o600)
  })

  it('stays durable: nothing that trades safety for speed is switched off', async () => {
    const { url } = await openPostgres(await newHome())
    const settings = await queryOnce(
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
    await queryOnce(first.url, (db) => db`create table kept as select 42 as answer`)
    process.kill(first.pid, 'SIGKILL')
    await poll(() => !isAlive(first.pid), PATIENCE.timeout)
    const second = await openPostgres(home)
    expect(second.adopted).toBe(false)
    expect(await queryOnce(second.url, (db) => db`select answer from kept`)).toEqual([{ answer: 42 }])
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
    expect(await poll(() => !isAlive(first.pid), PATIENCE.timeout)).toBe(true)

    const second = await openTemporal(home)
    await withTemporal({ address: second.address, namespace: 'default' }, async (connection) => {
      const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace: 'default' })
      expect(Object.keys(customAttributes ?? {})).toEqual(
        expect.arrayContaining(['WorkspaceId', 'TemplateId', 'Environment', 'Lane', 'RunStatus', 'AwaitingGate']),
      )
      const { config } = await connection.workflowService.describeNamespace({ namespace: 'default' })
      expect(Number(config?.workflowExecutionRetentionTtl?.seconds)).toBe(30 * 24 * 3_600)
    })
    expect((await readdir(home)).filter((name) => /^temporal-1\.\d+\.db$/.test(name))).toHaveLength(1)
  })

  it('is adopted after a crash, but not when a release that listened to web pages left it behind', async () => {
    const home = await newHome()
    const first = await openTemporal(home)
    const again = await openTemporal(home)
    expect([again.adopted, again.pid]).toEqual([true, first.pid])

    const { closed, ...older } = JSON.parse(await readFile(join(home, 'temporal.json'), 'utf8'))
    expect(closed).toBe(true)
    await writeFile(join(home, 'temporal.json'), JSON.stringify({ ...older, ui_port: 28_433 }))
    const renewed = await openTemporal(home)
    expect([renewed.adopted, renewed.port]).toEqual([false, first.port])
    expect(await isRunning(first.pid)).toBe(false)
  })

  it('moves to the next free port when its port is taken', async () => {
    const wanted = await findFreePort(27_600)
    await occupy(wanted)
    expect((await openTemporal(await newHome(), wanted)).port).toBeGreaterThan(wanted)
  })
})
