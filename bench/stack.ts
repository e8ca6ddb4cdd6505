import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client, Connection } from '@temporalio/client'
import { bundleWorkflowCode } from '@temporalio/worker'
import { startApiRuntime } from '#api/api-runtime.ts'
import { type Config, loadConfig } from '#platform/config.ts'
import { findFreePort } from '#platform/embedded/free-port.ts'
import { startPostgres } from '#platform/embedded/postgres.ts'
import { prepareNamespace } from '#platform/embedded/prepare-namespace.ts'
import { startTemporal } from '#platform/embedded/temporal.ts'
import { resolveTemporalServer } from '#platform/embedded/temporal-server.ts'
import { createLogger } from '#platform/logger.ts'
import { programArgs } from '#platform/program/program-args.ts'
import type { ServiceDeps } from '#services/service-deps.ts'
import { createDb, type Db } from '#store/db.ts'
import { migrate } from '#store/migrate.ts'
import { benchOperators } from './bench-operators.ts'
import { cpuMs } from './cpu.ts'

const POLICIES = 50

export interface BenchStack {
  api: string
  /** services of the API; Q1 calls them directly, as the other side calls the engine's client */
  services: ServiceDeps
  /** for another process of ours on the same database and engine */
  env: Record<string, string>
  client: Client
  /** as owner, for counters */
  db: Db
  /** of the owner, for the side that is not ours */
  database_url: string
  /** CPU milliseconds so far, by process: the API shares this one with the load generator */
  cpu(): Record<'api_and_load' | 'worker' | 'temporal' | 'postgres', number>
  /** time of the first line of a marked operator, in this machine's milliseconds */
  marked(id: string): Promise<number>
  /** kills the worker without a word and starts another one */
  replaceWorker(): Promise<void>
  stop(): Promise<void>
}

/** The servers of most benchmarks, which share them. */
export const plainStack = () => startBenchStack()

/** Starts the servers of both sides: one PostgreSQL, one Temporal server, one worker process if any, the API in this process. */
export async function startBenchStack(
  env: Record<string, string> = {},
  options: { worker?: boolean; environment?: string } = {},
): Promise<BenchStack> {
  const home = await mkdtemp(join(tmpdir(), 'svc-bench-'))
  const log = createLogger({ level: 'warn', name: 'bench' })
  const given_env = { SVC_HOME: home, SVC_PACKS_DIR: fileURLToPath(new URL('./packs', import.meta.url)), ...env }
  const given = loadConfig({ ...process.env, ...given_env, SVC_PORT: String(await findFreePort(19_090)) })
  await writePolicies(join(home, 'policies'))
  if (options.environment !== undefined) {
    await mkdir(join(home, 'environments'))
    await writeFile(join(home, 'environments/development.yaml'), options.environment)
  }
  const postgres = await startPostgres({ home, log })
  const server = await resolveTemporalServer({
    cli: given.temporal.cli,
    cacheDir: given.cacheDir,
    onProgress: console.error,
  })
  const temporal = await startTemporal({ home, ...server, port: 17_233, log, synchronous: 1 })
  const connection = await Connection.connect({ address: temporal.address })
  await prepareNamespace({ connection, namespace: 'default', owned: true, log })
  const { url } = await migrate(postgres.local_url)
  const marks = createMarks()
  const bundle = await writeWorkflowBundle(home)
  const startWorker = async () => {
    const started = await startBenchWorker({
      ...given_env,
      DATABASE_URL: url,
      TEMPORAL_ADDRESS: temporal.address,
      BENCH_BUNDLE: bundle,
      ...env,
    })
    started.on('message', marks.receive)
    return started
  }
  let worker = options.worker === false ? undefined : await startWorker()
  const config: Config & { databaseUrl: string; temporal: { address: string } } = {
    ...given,
    databaseUrl: url,
    temporal: { ...given.temporal, address: temporal.address },
  }
  const api = await startApiRuntime(config, log, { operators: benchOperators })
  const db = createDb(postgres.local_url, { max: 2, name: 'bench' })
  return {
    api: api.url,
    services: api.services,
    env: { ...given_env, DATABASE_URL: url, TEMPORAL_ADDRESS: temporal.address },
    client: new Client({ connection, namespace: 'default' }),
    db,
    database_url: postgres.local_url,
    marked: marks.wait,
    cpu: () => ({
      api_and_load: process.cpuUsage().user / 1_000 + process.cpuUsage().system / 1_000,
      worker: worker === undefined ? 0 : cpuMs(worker.pid ?? 0),
      temporal: cpuMs(temporal.pid),
      postgres: cpuMs(postgres.pid),
    }),
    async replaceWorker() {
      if (worker !== undefined) {
        worker.kill('SIGKILL')
        await once(worker, 'exit')
      }
      worker = await startWorker()
    },
    async stop() {
      await api.close()
      if (worker !== undefined) await endChild(worker)
      await db.end()
      await connection.close()
      await temporal.stop()
      await postgres.stop()
      await rm(home, { recursive: true, force: true })
    },
  }
}

async function writeWorkflowBundle(home: string): Promise<string> {
  const bundle = join(home, 'bundle.js')
  const { code } = await bundleWorkflowCode({
    workflowsPath: fileURLToPath(new URL('./workflows.ts', import.meta.url)),
    workflowInterceptorModules: [fileURLToPath(new URL('../workflows/interceptors.ts', import.meta.url))],
    logger: quiet,
  })
  await writeFile(bundle, code)
  return bundle
}

async function startBenchWorker(env: Record<string, string>): Promise<ChildProcess> {
  const [script = '', ...program] = programArgs('bench/worker-main.ts')
  const worker = fork(script, program, {
    execArgv: ['--max-semi-space-size=32'],
    // neither side is to wait for a slot: the lanes' limits are policy, not cost
    env: { ...process.env, SVC_LANE_REALTIME: '40', SVC_LANE_BACKGROUND: '40', ...env },
  })
  await once(worker, 'message')
  return worker
}

function createMarks() {
  const seen = new Map<string, number>()
  const waiting = new Map<string, (at: number) => void>()
  return {
    receive(message: unknown): void {
      if (typeof message !== 'object' || message === null || !('id' in message) || !('at' in message)) return
      const { id, at } = message as { id: string; at: number }
      seen.set(id, at)
      waiting.get(id)?.(at)
      waiting.delete(id)
    },
    wait: (id: string): Promise<number> => {
      const at = seen.get(id)
      return at === undefined ? new Promise((resolve) => waiting.set(id, resolve)) : Promise.resolve(at)
    },
  }
}

/** Fifty policies that match other things, as in a deployment that has grown. */
async function writePolicies(dir: string): Promise<void> {
  await mkdir(dir, { recursive: true })
  for (let n = 0; n < POLICIES; n += 1) {
    const policy = {
      name: `bench-${n}`,
      applies_to: { environments: ['production'], action_types: [`other.${n}`] },
      rules: [{ effect: 'require_hitl', reason: 'not this run' }],
    }
    await writeFile(join(dir, `bench-${n}.yaml`), JSON.stringify(policy))
  }
  if ((await readdir(dir)).length < POLICIES) throw new Error('the policies of the bench were not written')
}

async function endChild(child: ChildProcess): Promise<void> {
  child.kill('SIGTERM')
  if (child.exitCode === null) await once(child, 'exit')
}

const silent = () => undefined
const quiet = { log: silent, trace: silent, debug: silent, info: silent, warn: silent, error: silent }
