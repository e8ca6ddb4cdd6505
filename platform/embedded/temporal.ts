import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { closeSync, openSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { basename, join } from 'node:path'
import { z } from 'zod'
import { DomainError } from '#core/errors.ts'
import type { Logger } from '../logger.ts'
import { awaitPort, findFreePort } from './free-port.ts'
import { commandOf, isRunning, poll, sendSignal, terminate } from './processes.ts'
import { knowsFlag, readServerVersion } from './temporal-server.ts'

const START_MS = 60_000
const ATTEMPTS = 3

export interface TemporalOptions {
  /** data directory of the product; the engine's database file lives in it */
  home: string
  binary: string
  /** wanted port; when taken, the next free one */
  port: number
  /** the port that its clients know: no other one, however long it is taken */
  kept_port?: number | undefined
  /** address of the Web UI; undefined leaves it out */
  ui?: WebUiAddress | undefined
  /** created besides `default` if it is another one */
  namespace?: string
  log: Logger
  /** 1: survives a killed process, 2: also a power cut */
  synchronous: 1 | 2
  /** server version such as "1.29", when it is known already */
  version?: string
}

export interface RunningTemporal {
  /** host:port */
  address: string
  port: number
  ui: WebUiAddress | undefined
  pid: number
  /** true when a server from an earlier life was still running */
  adopted: boolean
  stop(): Promise<void>
}

/** Starts a Temporal dev server on its file in `home`, or adopts the one that an earlier process left running. */
export async function startTemporal(options: TemporalOptions): Promise<RunningTemporal> {
  const { home, binary, log } = options
  await mkdir(join(home, 'logs'), { recursive: true })
  const version = options.version ?? (await readServerVersion(binary))
  const database = join(home, `temporal-${version}.db`)
  await warnAboutOtherGenerations(home, database, log)
  const orphan = await findOrphan(options, database)
  const server = orphan ?? (await launch(options, database))
  const address = `127.0.0.1:${server.port}`
  log.info({ pid: server.pid, address, version, adopted: orphan !== undefined }, 'temporal is ready')
  return {
    address,
    port: server.port,
    ui: server.ui,
    pid: server.pid,
    adopted: orphan !== undefined,
    stop: () => stopServer(home, server.pid, log),
  }
}

/** The dev server cannot migrate its file, so each server generation has its own. */
async function warnAboutOtherGenerations(home: string, database: string, log: Logger): Promise<void> {
  const files = (await readdir(home)).filter((name) => /^temporal-[\d.]+\.db$/.test(name))
  if (files.length === 0 || files.includes(basename(database))) return
  log.warn(
    { files, database },
    'this Temporal server is of another generation: runs that wait in the older file stay there',
  )
}

const webUiAddressSchema = z.object({ host: z.string(), port: z.int() })
export type WebUiAddress = z.infer<typeof webUiAddressSchema>

/** The record of the running server, by which the next supervisor finds it. */
const serverRecordSchema = z.object({
  pid: z.int().positive(),
  port: z.int(),
  database: z.string(),
  /** absent in records of releases whose server was reachable from web pages */
  closed: z.boolean().default(false),
  ui: webUiAddressSchema.optional(),
})
type ServerRecord = z.infer<typeof serverRecordSchema>

async function findOrphan({ home, ui }: TemporalOptions, database: string): Promise<ServerRecord | undefined> {
  const text = await readFile(recordFile(home), 'utf8').catch(() => '{}')
  const parsed = serverRecordSchema.safeParse(parseJson(text))
  if (!parsed.success || !(await isRunning(parsed.data.pid))) return undefined
  const server = parsed.data
  if (!(await commandOf(server.pid))?.includes(server.database)) return undefined
  const fits = server.closed && server.database === database && (server.ui === undefined) === (ui === undefined)
  if (fits && (await poll(() => answers(server.port), 10_000, 50))) return server
  await terminate(server.pid, 'SIGTERM', 10_000)
  return undefined
}

async function launch(options: TemporalOptions, database: string): Promise<ServerRecord> {
  const logFile = join(options.home, 'logs', 'temporal.log')
  const flag = '--ui-disable-news-fetch'
  const quietUi = options.ui !== undefined && (await knowsFlag(options.binary, flag)) ? [flag] : []
  for (let attempt = 1; ; attempt += 1) {
    const port = options.kept_port ? await awaitPort(options.kept_port, options.log) : await findFreePort(options.port)
    const output = openSync(logFile, 'a', 0o600)
    const child = spawn(options.binary, [...flags(port, database, options), ...quietUi], {
      cwd: options.home,
      detached: true,
      stdio: ['ignore', output, output],
    })
    closeSync(output)
    let ended: string | undefined
    child.once('exit', (code, signal) => (ended = `ended with ${signal ?? code}`))
    child.once('error', (error) => (ended = error.message))
    if (child.pid !== undefined) {
      const server = { pid: child.pid, port, database, closed: true, ui: options.ui }
      await writeRecord(options.home, server)
      if ((await poll(async () => (ended ? 'ended' : await answers(port)), START_MS)) === true) {
        child.unref()
        return server
      }
      await terminate(child.pid, 'SIGKILL', 1_000)
    }
    if (attempt >= ATTEMPTS)
      throw new DomainError(
        'dependency_unavailable',
        `the Temporal server ${ended ?? 'did not answer'}; see ${logFile}`,
      )
    options.log.warn({ attempt, ended }, 'temporal did not start; trying again')
  }
}

/**
 * The one shard of a dev server reads its queues 20 times a second by default; the poll rates are the latency of every run. Its HTTP API
 * would accept any `Host` and a cross-site POST: it is bound to a secret name, so no browser reaches it, and its Nexus routes, which
 * require no name, are off.
 */
function flags(port: number, database: string, { synchronous, namespace, ui }: TemporalOptions): string[] {
  const dynamic = {
    'matching.numTaskqueueReadPartitions': 1,
    'matching.numTaskqueueWritePartitions': 1,
    'system.enableActivityEagerExecution': true,
    'matching.enableFairness': true,
    'history.transferProcessorMaxPollRPS': 2_000,
    'history.timerProcessorMaxPollRPS': 2_000,
    'frontend.httpAllowedHosts': JSON.stringify([randomBytes(16).toString('hex')]),
    'system.enableNexus': false,
  }
  return [
    ...['server', 'start-dev', '--ip', '127.0.0.1', '--port', String(port)],
    ...(ui === undefined ? ['--headless'] : ['--ui-ip', ui.host, '--ui-port', String(ui.port)]),
    ...['--log-format', 'json', '--log-level', 'warn', '--db-filename', database],
    ...(namespace && namespace !== 'default' ? ['--namespace', namespace] : []),
    ...['--sqlite-pragma', 'journal_mode=WAL', '--sqlite-pragma', `synchronous=${synchronous}`],
    ...Object.entries(dynamic).flatMap(([name, value]) => ['--dynamic-config-value', `${name}=${value}`]),
  ]
}

/** A listening port alone is not enough: the namespace must answer over gRPC. */
async function answers(port: number): Promise<boolean> {
  if (!(await accepts(port))) return false
  try {
    // loading the client takes as long as the server needs to start, so the two overlap
    const { askTemporal } = await import('./ask-temporal.ts')
    await askTemporal(`127.0.0.1:${port}`)
    return true
  } catch {
    return false
  }
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', timeout: 1_000 })
    const answer = (ok: boolean) => {
      socket.destroy()
      resolve(ok)
    }
    socket.once('connect', () => answer(true))
    socket.once('error', () => answer(false))
    socket.once('timeout', () => answer(false))
  })
}

async function stopServer(home: string, pid: number, log: Logger): Promise<void> {
  if (!sendSignal(pid, 0)) return
  await terminate(pid, 'SIGTERM', 5_000)
  await rm(recordFile(home), { force: true })
  log.info({ pid }, 'temporal stopped')
}

async function writeRecord(home: string, server: ServerRecord): Promise<void> {
  await writeFile(`${recordFile(home)}.new`, JSON.stringify(server))
  await rename(`${recordFile(home)}.new`, recordFile(home))
}

function recordFile(home: string): string {
  return join(home, 'temporal.json')
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
