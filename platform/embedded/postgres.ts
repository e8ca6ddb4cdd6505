import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { mkdir, readFile, rm, rmdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import { DomainError } from '#core/errors.ts'
import type { Logger } from '../logger.ts'
import { sha256 } from '../sha256.ts'
import { awaitPort, findFreePort } from './free-port.ts'
import { type Cluster, openCluster, openSocketDir } from './postgres-cluster.ts'
import { commandOf, isRunning, poll, sendSignal, terminate } from './processes.ts'

const DATABASE = 'svc'
const FIRST_PORT = 54_320
const START_MS = 60_000
const ATTEMPTS = 5

/** Durable as PostgreSQL ships it (fsync, synchronous_commit and full_page_writes stay on), sized for one machine. */
const SETTINGS = {
  listen_addresses: '127.0.0.1',
  max_connections: '200',
  shared_buffers: '128MB',
  // a storm changes the statistics of a table within seconds, and plans depend on the last ones
  autovacuum_naptime: '5s',
  wal_compression: 'on',
  max_wal_size: '2GB',
  checkpoint_timeout: '15min',
  random_page_cost: '1.1',
  jit: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
}

export interface PostgresOptions {
  /** data directory of the product; the cluster lives in its `postgres/` */
  home: string
  log: Logger
  /** wanted TCP port; when taken, the next free one. By default the one used last time */
  port?: number
  /** the port that its clients know: no other one, however long it is taken */
  kept_port?: number
}

export interface RunningPostgres {
  /** superuser url of the database `svc`, over loopback TCP */
  url: string
  /** the same through the Unix socket where there is one (libpq's `host` parameter): half the cost of a round trip */
  local_url: string
  port: number
  /** directory of the Unix socket, where there is one */
  socketDir: string | undefined
  pid: number
  /** true when a server from an earlier life was still running */
  adopted: boolean
  stop(): Promise<void>
}

/** Starts PostgreSQL in `home`, or adopts the one that an earlier process left running. It survives the end of this process. */
export async function startPostgres(options: PostgresOptions): Promise<RunningPostgres> {
  const { home, log } = options
  await mkdir(join(home, 'logs'), { recursive: true })
  const cluster = await openCluster(home)
  const orphan = await findOrphan(cluster)
  const server = orphan ?? (await launch(cluster, options))
  const url = urlOf(cluster.password, server.port, DATABASE)
  const local_url = server.socketDir === undefined ? url : `${url}?host=${encodeURIComponent(server.socketDir)}`
  await createDatabase(cluster.password, server.port)
  log.info({ pid: server.pid, port: server.port, adopted: orphan !== undefined }, 'postgres is ready')
  return { ...server, url, local_url, adopted: orphan !== undefined, stop: () => stopServer(server, log) }
}

interface Server {
  pid: number
  port: number
  socketDir: string | undefined
}

/** Reads postmaster.pid: the process, its port and whether it accepts connections. */
async function readPidFile(dataDir: string): Promise<(Server & { ready: boolean }) | undefined> {
  const lines = (await readFile(join(dataDir, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n')
  const pid = Number(lines[0])
  if (!Number.isInteger(pid) || pid <= 0) return undefined
  return { pid, port: Number(lines[3]), socketDir: lines[4]?.trim() || undefined, ready: lines[7]?.trim() === 'ready' }
}

async function findOrphan(cluster: Cluster): Promise<Server | undefined> {
  const found = await readPidFile(cluster.dataDir)
  if (!found || !(await isRunning(found.pid))) return undefined
  // after a reboot the id may belong to a stranger, and PostgreSQL would then refuse to start
  if (!(await commandOf(found.pid))?.includes('postgres'))
    return void (await rm(join(cluster.dataDir, 'postmaster.pid'), { force: true }))
  const ready = await poll(async () => {
    const now = await readPidFile(cluster.dataDir)
    return now?.ready && (await answers(cluster.password, now.port)) ? now : undefined
  }, 5_000)
  if (ready) return { pid: ready.pid, port: ready.port, socketDir: ready.socketDir }
  await terminate(found.pid, 'SIGINT', 10_000)
  return undefined
}

/** Just after a crash the memory of the dead server may still be locked for a moment, so a start is retried. */
async function launch(cluster: Cluster, { home, log, port: wanted, kept_port }: PostgresOptions): Promise<Server> {
  const portFile = join(home, 'postgres-port')
  const last = Number(await readFile(portFile, 'utf8').catch(() => ''))
  const logFile = join(home, 'logs', 'postgres.log')
  const socketDir = await openSocketDir(cluster, sha256(cluster.dataDir).slice(0, 12))
  for (let attempt = 1; ; attempt += 1) {
    const port = kept_port
      ? await awaitPort(kept_port, log)
      : await findFreePort(wanted ?? (last > 0 ? last : FIRST_PORT))
    const pid = await tryLaunch(cluster, port, socketDir, logFile)
    if (pid !== undefined) {
      await writeFile(portFile, `${port}\n`)
      return { pid, port, socketDir }
    }
    const tail = (await readFile(logFile, 'utf8').catch(() => '')).trimEnd().split('\n').slice(-3).join(' | ')
    if (attempt >= ATTEMPTS)
      throw new DomainError('dependency_unavailable', `PostgreSQL did not start; ${logFile} ends with: ${tail}`)
    log.warn({ attempt, tail }, 'postgres did not start; trying again')
    await sleep(200 * attempt)
  }
}

async function tryLaunch(
  cluster: Cluster,
  port: number,
  socketDir: string | undefined,
  logFile: string,
): Promise<number | undefined> {
  const settings = Object.entries({ ...SETTINGS, unix_socket_directories: socketDir ?? '' }).flatMap(
    ([name, value]) => ['-c', `${name}=${value}`],
  )
  const output = openSync(logFile, 'a', 0o600)
  const child = spawn(cluster.binaries.postgres, ['-D', cluster.serverDir, '-p', String(port), ...settings], {
    ...cluster.account,
    cwd: cluster.dataDir,
    detached: true,
    stdio: ['ignore', output, output],
  })
  closeSync(output)
  const pid = await waitUntilReady(child, cluster.dataDir)
  child.unref()
  return pid
}

async function waitUntilReady(child: ChildProcess, dataDir: string): Promise<number | undefined> {
  let ended = false
  child.once('exit', () => (ended = true))
  child.once('error', () => (ended = true))
  const pid = await poll(
    async () => {
      if (ended) return 'ended' as const
      const found = await readPidFile(dataDir)
      return found?.ready && found.pid === child.pid ? found.pid : undefined
    },
    START_MS,
    5,
  )
  if (pid === 'ended') return undefined
  if (pid === undefined && child.pid !== undefined) await terminate(child.pid, 'SIGQUIT', 5_000)
  return pid
}

/** SIGINT is PostgreSQL's fast shutdown: sessions are cut off, everything committed is on disk. */
async function stopServer({ pid, socketDir }: Server, log: Logger): Promise<void> {
  if (!sendSignal(pid, 0)) return
  await terminate(pid, 'SIGINT', 10_000)
  if (socketDir !== undefined) await rmdir(socketDir).catch(() => undefined)
  log.info({ pid }, 'postgres stopped')
}

async function answers(password: string, port: number): Promise<boolean> {
  const sql = connect(password, port, 'postgres')
  try {
    await sql`select 1`
    return true
  } catch {
    return false
  } finally {
    await sql.end({ timeout: 1 })
  }
}

async function createDatabase(password: string, port: number): Promise<void> {
  const sql = connect(password, port, 'postgres')
  try {
    const known = await sql`select 1 from pg_database where datname = ${DATABASE}`
    if (known.length === 0) await sql.unsafe(`create database ${DATABASE}`)
  } finally {
    await sql.end({ timeout: 1 })
  }
}

function connect(password: string, port: number, database: string) {
  return postgres(urlOf(password, port, database), {
    max: 1,
    connect_timeout: 5,
    fetch_types: false,
    connection: { application_name: 'svc-start' },
  })
}

function urlOf(password: string, port: number, database: string): string {
  return `postgres://postgres:${password}@127.0.0.1:${port}/${database}`
}
