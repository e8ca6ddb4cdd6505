import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { execa } from 'execa'
import postgres from 'postgres'
import { canReach, chooseAccount, giveTo } from '#platform/embedded/postgres-account.ts'
import { freePort } from './free-ports.ts'
import type { Program } from './programs/program.ts'

/** The next transaction of the server: its databases are as old as that, and 147 million from where it stops writing. */
const NEXT_XID = 2_000_000_000
const XIDS_A_SEGMENT = 1024 * 1024
const SEGMENT_BYTES = 256 * 1024

export type AgedServer = Postgres15

export interface Postgres15 {
  url: string
  stop(): Promise<void>
}

/** A PostgreSQL 15 of its own that is near wraparound, with no autovacuum to save it. */
export const startAgedServer = (program: Program) => startPostgres15(program, { aged: true })

/** A PostgreSQL 15 of its own. */
export async function startPostgres15(program: Program, { aged = false } = {}): Promise<Postgres15> {
  const dir = await mkdtemp(join(tmpdir(), 'svc-postgres-15-'))
  const data = join(dir, 'data')
  const account = await chooseAccount(data)
  await giveTo(account, dir)
  const bin = await reachable(dirname(program.command), dir, account)
  const options = { ...account, cwd: dir, env: program.env }
  await execa(
    join(bin, 'initdb'),
    ['-D', data, '-U', 'postgres', '-A', 'trust', '-N', '--no-locale', '-E', 'UTF8'],
    options,
  )
  if (aged) {
    await execa(join(bin, 'pg_resetwal'), ['-x', String(NEXT_XID), '-D', data], options)
    const segment = Math.floor(NEXT_XID / XIDS_A_SEGMENT)
    const file = join(data, 'pg_xact', segment.toString(16).toUpperCase().padStart(4, '0'))
    await writeFile(file, Buffer.alloc(SEGMENT_BYTES), { mode: 0o600 })
    await giveTo(account, file)
  }
  const port = await freePort()
  const settings = {
    listen_addresses: '127.0.0.1',
    fsync: 'off',
    autovacuum: 'off',
    jit: 'off',
    autovacuum_freeze_max_age: NEXT_XID,
    max_prepared_transactions: 2,
  }
  const args = [
    '-D',
    data,
    '-p',
    String(port),
    '-k',
    dir,
    ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ]
  const server = spawn(join(bin, 'postgres'), args, {
    ...options,
    env: { ...process.env, ...program.env },
    stdio: 'ignore',
  })
  const ended = once(server, 'exit')
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`
  await answers(url, ended)
  return {
    url,
    async stop() {
      server.kill('SIGINT')
      await ended
      await rm(dir, { recursive: true, force: true })
    },
  }
}

/** The programs where the server's account can run them: out of root's private home it takes a copy. */
async function reachable(
  bin: string,
  dir: string,
  account: Awaited<ReturnType<typeof chooseAccount>>,
): Promise<string> {
  if (await canReach(account, bin)) return bin
  const copy = join(dir, 'program')
  await cp(join(bin, '..', '..', '..', '..'), copy, { recursive: true, verbatimSymlinks: true })
  return join(copy, 'lib', 'postgresql', '15', 'bin')
}

async function answers(url: string, ended: Promise<unknown>): Promise<void> {
  let over = false
  void ended.then(() => {
    over = true
  })
  for (;;) {
    const sql = postgres(url, { max: 1, connect_timeout: 2, onnotice: () => undefined })
    try {
      await sql`select 1`
      return
    } catch (error) {
      if (over) throw error
      await sleep(50)
    } finally {
      await sql.end({ timeout: 1 })
    }
  }
}
