import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import { describe, expect, test } from 'vitest'
import { findFreePort } from '#platform/embedded/free-port.ts'
import { startPostgres } from '#platform/embedded/postgres.ts'
import { createDb } from '#store/db.ts'
import { migrate } from '#store/migrate.ts'
import { findDifferences } from '#store/rights/apply-rights.ts'
import { rightsInCatalogue } from '#test/support/catalogue-rights.ts'
import { docBlocks } from '#test/support/doc-blocks.ts'
import { createTestHome, testLog } from '#test/support/embedded.ts'
import { startPostgres15 } from '#test/support/postgres-15.ts'
import { needs, programOf } from '#test/support/programs/needs.ts'
import { fillWorkspace } from '#test/support/tenants.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const SERVICES = { app_password: 'app' }

describe('the documented backup and restore', () => {
  test('runs word for word on PostgreSQL 15', { ...needs('postgres15'), timeout: 120_000 }, async () => {
    const program = programOf('postgres15')
    const server = await startPostgres15(program)
    // the package of the server brings no clients; they stand beside those of this system
    const bin = [dirname(program.command), '/usr/lib/postgresql/15/bin'].find((dir) => existsSync(join(dir, 'pg_dump')))
    try {
      await backUpAndRestore(server.url, { ...program.env, PATH: pathWith(bin) })
    } finally {
      await server.stop()
    }
  })

  test('runs word for word on PostgreSQL 18', { ...needs('postgres18'), timeout: 120_000 }, async () => {
    const { home, remove } = await createTestHome()
    const server = await startPostgres({ home, log: testLog, port: await findFreePort(25_320) })
    try {
      await backUpAndRestore(server.url, { PATH: pathWith(dirname(programOf('postgres18').command)) })
    } finally {
      await server.stop()
      await remove()
    }
  })
})

const pathWith = (dir = '') => [dir, dirname(process.execPath), process.env['PATH']].join(delimiter)

async function backUpAndRestore(serverUrl: string, env: Record<string, string>): Promise<void> {
  const at = (name: string, user?: string) =>
    Object.assign(new URL(serverUrl), { pathname: `/${name}`, ...(user && { username: user, password: user }) }).href
  const folder = await mkdtemp(join(tmpdir(), 'svc-restore-'))
  const admin = createDb(at('postgres'), { max: 1 })
  try {
    await admin.unsafe("create role keeper login createrole password 'keeper'; create role reader")
    await admin.unsafe('create database original owner keeper')
    await migrate(at('original', 'keeper'), SERVICES)
    await fill(at('original', 'keeper'))
    const before = await contents(at('original'))

    const home = await folderOf(folder)
    const settings = {
      ...{ SVC_HOME: home, SVC_APP_PASSWORD: SERVICES.app_password, OWNER: 'keeper', DATABASE: 'restored' },
      ...{ BACKUP_URL: at('original'), ADMIN_URL: at('postgres'), OWNER_URL: at('restored', 'keeper') },
    }
    const [backUp = '', restore = ''] = docBlocks('operations', 'sh').filter((block) =>
      /pg_dump|pg_restore/.test(block),
    )
    const run = (commands: string) =>
      execa('bash', ['--norc', '-euc', commands], { cwd: folder, env: { ...env, ...settings }, reject: false })
    expect(await run(backUp)).toMatchObject({ exitCode: 0, stderr: '' })

    // a server that has never seen svc
    await admin.unsafe('drop database original')
    await admin.unsafe('drop role svc_app, svc_ask, reader')
    await rm(join(home, 'audit.jsonl'))
    expect(await run(restore)).toMatchObject({ exitCode: 0, stderr: '' })

    expect(await contents(at('restored'))).toEqual(before)
    expect(await readFile(join(home, 'audit.jsonl'), 'utf8')).toBe('the chain\n')
    await admin.unsafe('create database fresh owner keeper')
    await migrate(at('fresh', 'keeper'), SERVICES)
    expect(await rightsInCatalogue(at('restored'))).toEqual(await rightsInCatalogue(at('fresh')))
    const services = createDb(at('restored', 'svc_app').replace('svc_app:svc_app', 'svc_app:app'), { max: 1 })
    expect(await findDifferences(services, { app: true, ask: true })).toEqual([])
    await services.end()
  } finally {
    await admin.end()
    await rm(folder, { recursive: true, force: true })
  }
}

/** As the folder of svc, with a data directory beside it. */
async function folderOf(folder: string): Promise<string> {
  await symlink(join(ROOT, 'platform'), join(folder, 'platform'))
  await mkdir(join(folder, 'backup'))
  const home = join(folder, 'home')
  await mkdir(home)
  await writeFile(join(home, 'audit.jsonl'), 'the chain\n')
  return home
}

/** Rows of two workspaces, and a grant to a role that only this server has. */
async function fill(url: string): Promise<void> {
  const db = createDb(url, { max: 4 })
  await fillWorkspace({ db }, 'ws_0000000000000000000000000a')
  await fillWorkspace({ db }, 'ws_0000000000000000000000000b')
  await db`grant select on runs to reader`
  await db.end()
}

/** Every row of every table, as one digest for each table. */
async function contents(url: string): Promise<Record<string, string>> {
  const db = createDb(url, { max: 1 })
  const tables = await db<{ name: string }[]>`
    select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' order by 1`
  const digests: Record<string, string> = {}
  for (const { name } of tables) {
    const [row] = await db<{ digest: string | null }[]>`
      select md5(string_agg(r::text, E'\n' order by r::text)) || ' ' || count(*) as digest from ${db(name)} r`
    digests[name] = row?.digest ?? 'empty'
  }
  await db.end()
  expect(digests['runs']).toMatch(/ [1-9]/)
  return digests
}
