import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execa } from 'execa'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { createDb, type Db } from '#store/db.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { freePort } from '#test/support/free-ports.ts'
import { PATIENCE } from '#test/support/patience.ts'

/** a place of a program in a stack */
const STACK = /\bat .*:\d+:\d+/
const EMPTY = `empty_${process.pid}`
const UNRELEASED = `unreleased_${process.pid}`

let database: TestDatabase
let admin: Db
let home: string

beforeAll(async () => {
  database = await createTestDatabase(inject('postgres_url'))
  admin = createDb(inject('postgres_url'), { max: 1 })
  await admin.unsafe(`create database ${EMPTY}`)
  await admin.unsafe(`create database ${UNRELEASED}`)
  const unreleased = createDb(urlOf(UNRELEASED), { max: 1 })
  await unreleased.unsafe('create table audit_outbox (id bigint); create table kysely_migration (name text)')
  await unreleased.end()
  home = await mkdtemp(join(tmpdir(), 'svc-start-'))
})
afterAll(async () => {
  await admin?.unsafe(`drop database ${EMPTY} with (force)`)
  await admin?.unsafe(`drop database ${UNRELEASED} with (force)`)
  await admin?.end()
  await database?.drop()
  await rm(home, { recursive: true, force: true })
})

const urlOf = (name: string) => Object.assign(new URL(inject('postgres_url')), { pathname: `/${name}` }).href

async function start(script: string, settings: Record<string, string>) {
  const port = String(await freePort())
  const child = spawn('npm', ['run', '--silent', script], {
    env: { ...process.env, SVC_HOME: home, SVC_PORT: port, TEMPORAL_ADDRESS: inject('temporal_address'), ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = once(child, 'exit').then(([code]) => code)
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => (output += text))
  return { child, ended, output: () => output }
}

async function childrenOf(pid: number | undefined): Promise<number[]> {
  const { stdout } = await execa('ps', ['-e', '-o', 'pid=,ppid='])
  const pairs = stdout.split('\n').map((line) => line.trim().split(/\s+/).map(Number))
  return pairs.flatMap(([child = 0, parent]) => (parent === pid ? [child] : []))
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

describe.each(['server', 'worker'])('npm run %s', (script) => {
  test('on a database without a schema ends with a sentence that says what to do', async () => {
    const { ended, output } = await start(script, { DATABASE_URL: urlOf(EMPTY) })
    expect(await ended).toBe(78)
    expect(output()).toMatch(/The database at \S+ has no schema yet, and this release needs \S+\. Next: /)
    expect(output()).not.toMatch(STACK)
  })

  test('without Temporal says whom it waits for, and ends with npm', async () => {
    const address = `127.0.0.1:${await freePort()}`
    const { child, ended, output } = await start(script, { DATABASE_URL: database.url, TEMPORAL_ADDRESS: address })
    await expect.poll(output, PATIENCE).toContain(`Temporal does not answer at ${address} (TEMPORAL_ADDRESS)`)
    expect(output()).not.toMatch(STACK)
    const programs = await childrenOf(child.pid)
    expect(programs.length).toBeGreaterThan(0)
    child.kill('SIGTERM')
    await ended
    await expect.poll(() => programs.filter(isAlive), PATIENCE).toEqual([])
  })
})

test.each([
  ['server', 78],
  ['worker', 78],
  ['start', 69],
])(
  'npm run %s on a database of an unreleased build ends with a sentence that says what to do',
  async (script, code) => {
    const { ended, output } = await start(script, { DATABASE_URL: urlOf(UNRELEASED) })
    expect(await ended).toBe(code)
    expect(output()).toMatch(
      /This database was made by an unreleased build of svc, and cannot be upgraded\. Next: make a new one/,
    )
    expect(output()).not.toMatch(STACK)
  },
)

test('every script that stays is the program itself, so that no shell keeps a signal from it', () => {
  const { scripts }: { scripts: Record<string, string> } = JSON.parse(readFileSync('package.json', 'utf8'))
  const staying = Object.entries(scripts).filter(([, text]) =>
    /(cli\/svc|-main|api\/main|workers\/main|bench\/run)\./.test(text),
  )
  expect(staying.map(([name]) => name)).toEqual(expect.arrayContaining(['start', 'server', 'worker', 'demo']))
  expect(staying.filter(([, text]) => !/^exec node /.test(text))).toEqual([])
})
