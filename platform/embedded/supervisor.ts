import { randomInt } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { DomainError } from '#core/errors.ts'
import type { Config } from '../config.ts'
import type { Logger } from '../logger.ts'
import { readTemporalTarget, withTemporal } from '../temporal/temporal-connection.ts'
import { within } from '../within.ts'
import { CHILDREN, childEnvironment, MIGRATION, runMigration } from './children.ts'
import { findFreePort, isPortFree } from './free-port.ts'
import { lockHome } from './home-lock.ts'
import { keepAlive } from './keep-alive.ts'
import { type RunningPostgres, startPostgres } from './postgres.ts'
import { prepareNamespace } from './prepare-namespace.ts'
import { poll } from './processes.ts'
import { settleSecretKey } from './secret-key.ts'
import { type ChildSpec, superviseChild } from './supervised-child.ts'
import { type RunningTemporal, startTemporal } from './temporal.ts'
import { resolveTemporalServer } from './temporal-server.ts'
import { guardWebUi } from './web-ui-guard.ts'

/** Waits for work, and reports it once it takes long. */
export async function reportSlow<Result>(
  work: Promise<Result>,
  what: string,
  report: (line: string) => void,
): Promise<Result> {
  const began = performance.now()
  let shown = false
  const timer = setTimeout(() => {
    shown = true
    report(`${what} …`)
  }, SLOW_MS)
  try {
    const result = await work
    if (shown) report(`${what}: done in ${((performance.now() - began) / 1_000).toFixed(1)} s`)
    return result
  } finally {
    clearTimeout(timer)
  }
}

const SLOW_MS = 1_000

const ATTEMPTS = 10

/**
 * Returns a loopback address and port out of 2^38 that no web page can find by trying, for a server without authentication. Undefined on a
 * system whose only loopback address is 127.0.0.1.
 */
export async function findHiddenAddress(): Promise<{ host: string; port: number } | undefined> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const host = `127.${randomInt(1, 255)}.${randomInt(256)}.${randomInt(1, 255)}`
    const port = randomInt(32_768, 60_999)
    if (await isPortFree(port, host)) return { host, port }
  }
  return undefined
}

const READY_MS = 60_000
const DRAIN_MS = 15_000
const CHILD_GRACE_MS = 10_000
/** longer than all graces in a row, after each of which a kill follows */
const SHUTDOWN_MS = 40_000

export interface SupervisorOptions {
  config: Config
  log: Logger
  /** lines for the terminal */
  report: (line: string) => void
  /** in the order of their start; stopped in reverse. By default the worker and the API */
  children?: ChildSpec[]
  /** prints `{"url": …}` for the services; null when there is nothing to migrate */
  migration?: ChildSpec | null
}

/** Addresses of the running servers. */
export interface Stack {
  databaseUrl: string
  temporalAddress: string
  temporalUiUrl: string | undefined
}

export interface Supervisor {
  /** Starts everything and settles when all children serve. A failure leaves nothing running. */
  start(): Promise<Stack>
  /** Stops children, then Temporal, then PostgreSQL; the same promise for every caller. False when something had to be left behind. */
  stop(): Promise<boolean>
}

/** Resources in the order in which they are released. */
const STOP_ORDER = ['child', 'temporal', 'postgres', 'lock'] as const
type Layer = (typeof STOP_ORDER)[number]

/** Runs the whole product on this machine: the servers it was not given, then its own processes. */
export function createSupervisor(options: SupervisorOptions): Supervisor {
  const undo: { layer: Layer; stop: () => Promise<unknown> }[] = []
  let stopped: Promise<boolean> | undefined
  let starting: Promise<unknown> = Promise.resolve()
  const begin = (layer: Layer, stop: () => Promise<unknown>) => {
    undo.push({ layer, stop })
    refuseWhenStopping()
  }
  const refuseWhenStopping = () => {
    if (stopped) throw new DomainError('conflict', 'stopped while it was starting')
  }
  const unwind = async () => {
    for (const layer of STOP_ORDER) {
      if (layer !== 'child') await starting.catch(() => undefined)
      for (const entry of undo.filter((candidate) => candidate.layer === layer).reverse())
        await entry.stop().catch((err) => options.log.error({ err, layer }, 'could not stop'))
    }
  }
  const stop = () => {
    stopped ??= inTime(unwind(), SHUTDOWN_MS)
    return stopped
  }
  return {
    start() {
      const started = startStack(options, begin)
      starting = started
      return started.catch(async (error) => {
        await stop()
        throw error
      })
    },
    stop,
  }
}

type Begin = (layer: Layer, stop: () => Promise<unknown>) => void

async function startStack(options: SupervisorOptions, begin: Begin): Promise<Stack> {
  const { config, log, report } = options
  const lock = await lockHome(config.home)
  begin('lock', lock.release)
  await mkdir(join(config.home, 'logs'), { recursive: true })
  const secretKey = config.environment.SVC_SECRET_KEY ?? (await settleSecretKey(config.home, config.secretKey))
  await requirePort(config, lock.recovered ? DRAIN_MS : 0)
  const migration = options.migration === undefined ? MIGRATION : options.migration
  const starting = allOrNothing([
    reportSlow(openDatabase(options, begin), 'starting PostgreSQL', report).then((url) =>
      migration ? reportSlow(runMigration(migration, url), 'bringing the database to the newest schema', report) : url,
    ),
    reportSlow(openTemporal(options, begin), 'starting the Temporal server', report),
  ]).then(([databaseUrl, temporal]): Stack => ({ databaseUrl, ...temporal }))
  let serving = false
  const isAudible = () => serving
  const env = starting.then((stack) => childEnvironment(config, { ...stack, secretKey }))
  const running = (options.children ?? CHILDREN).map((spec) => {
    const child = superviseChild(spec, {
      env,
      logFile: join(config.home, 'logs', `${spec.name}.log`),
      log,
      report,
      isAudible,
    })
    begin('child', () => child.stop(CHILD_GRACE_MS))
    return child
  })
  const stack = await starting
  const late = () =>
    new DomainError(
      'dependency_unavailable',
      `the services were not ready after ${READY_MS / 1_000} s; see ${join(config.home, 'logs')}`,
    )
  const ready = inTime(Promise.all(running.map((child) => child.ready)), READY_MS)
  if (!(await reportSlow(ready, 'starting the API and the worker (after a change they are built first)', report)))
    throw late()
  serving = true
  return stack
}

/** After a crash the API of the last life may still answer its last requests. */
async function requirePort({ host, port }: Config, patienceMs: number): Promise<void> {
  if (await poll(() => isPortFree(port, host), patienceMs, 100)) return
  const message = `port ${port} of ${host} is taken: stop what listens there, or set SVC_PORT to another port`
  throw new DomainError('conflict', message)
}

async function openDatabase({ config, log }: SupervisorOptions, begin: Begin): Promise<string> {
  if (config.databaseUrl) return config.databaseUrl
  const server = await keepAlive<RunningPostgres>(
    'postgres',
    (last) => startPostgres({ home: config.home, log, ...(last && { kept_port: last.port }) }),
    log,
  )
  begin('postgres', server.stop)
  return server.first.local_url
}

async function openTemporal(
  { config, log, report }: SupervisorOptions,
  begin: Begin,
): Promise<Omit<Stack, 'databaseUrl'>> {
  const { address, namespace, uiUrl, synchronous, cli, ...wanted } = config.temporal
  if (address) {
    const target = await readTemporalTarget({ ...config.temporal, address })
    await withTemporal(target, (connection) => prepareNamespace({ connection, namespace, log, owned: false }))
    return { temporalAddress: address, temporalUiUrl: uiUrl }
  }
  const program = await resolveTemporalServer({ cli, cacheDir: config.cacheDir, onProgress: report })
  const hidden = wanted.ui ? await findHiddenAddress() : undefined
  if (wanted.ui && !hidden) report('the Temporal Web UI stays off: this system has no loopback address to hide it at')
  const start = (last?: RunningTemporal) => {
    const { port } = wanted
    const addresses = { port, kept_port: last?.port, ui: last ? last.ui : hidden }
    return startTemporal({ home: config.home, ...program, log, namespace, synchronous, ...addresses })
  }
  const server = await keepAlive<RunningTemporal>('temporal', start, log)
  begin('temporal', server.stop)
  const { address: temporalAddress, port, ui } = server.first
  const guard = ui && (await guardWebUi(await findFreePort(wanted.uiPort, [port]), ui))
  if (guard) begin('temporal', guard.stop)
  await withTemporal({ address: temporalAddress, namespace }, (connection) =>
    prepareNamespace({ connection, namespace, log, owned: true }),
  )
  return { temporalAddress, temporalUiUrl: guard?.url }
}

/** Like `Promise.all`, but when one fails it waits for the others, so that nothing starts behind the back of the unwinding. */
async function allOrNothing<A, B>([a, b]: [Promise<A>, Promise<B>]): Promise<[A, B]> {
  await Promise.allSettled([a, b])
  return Promise.all([a, b])
}

/** False when `work` took longer than `ms`; its failure is passed on. */
async function inTime(work: Promise<unknown>, ms: number): Promise<boolean> {
  return await within(
    ms,
    work.then(() => true),
    () => false,
  )
}
