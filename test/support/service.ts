import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client, Connection } from '@temporalio/client'
import { prepareNamespace } from '#platform/embedded/prepare-namespace.ts'
import { createLogger } from '#platform/logger.ts'
import { programArgs } from '#platform/program/program-args.ts'
import { createTestDatabase, type TestDatabase } from './database.ts'
import { freePort } from './free-ports.ts'
import { PATIENCE } from './patience.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
/** As the scripts of the package start a program; where nothing is timed, code is compiled for speed later than by default. */
const nodeFlags = () => ['--max-semi-space-size=32', ...(process.env['SVC_TEST_NODE_FLAGS']?.split(' ') ?? [])]
/** Between two looks at what takes long: each look is work for the servers that are waited for. */
const LONGEST_PAUSE_MS = 100

export interface TestServiceOptions {
  postgres_url: string
  temporal_address: string
  env?: Record<string, string>
  workers?: number
  /** what stands in the data directory before anything starts: path to text */
  files?: Record<string, string>
  /** false when the test starts the API itself, to end it itself */
  api?: boolean
}

export interface TestService {
  url: string
  home: string
  namespace: string
  database: TestDatabase
  temporal: Client
  /** one HTTP exchange with the API; JSON in, JSON out */
  call<Body = Record<string, unknown>>(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Reply<Body>>
  /** polls until `done` says so; fails with the last answer after `within_ms` */
  until<Body>(
    path: string,
    done: (body: Body) => boolean,
    within_ms?: number,
    headers?: Record<string, string>,
  ): Promise<Body>
  startApi(env?: Record<string, string>): Promise<ChildProcess>
  startWorker(env?: Record<string, string>): Promise<ChildProcess>
  stop(): Promise<void>
}

export interface Reply<Body> {
  status: number
  headers: Headers
  body: Body
}

/** The real service: API and worker as processes of their own, on a database and a Temporal namespace of their own. */
export async function startTestService(options: TestServiceOptions): Promise<TestService> {
  const namespace = `t-${Date.now().toString(36)}-${process.pid}-${Math.random().toString(36).slice(2, 8)}`
  const [database, connection, home, port] = await Promise.all([
    createTestDatabase(options.postgres_url),
    connectTo(options.temporal_address, namespace),
    createHome(options.files),
    freePort(),
  ])
  const url = `http://127.0.0.1:${port}`
  const env = {
    ...process.env,
    SVC_HOME: home,
    SVC_PORT: String(port),
    SVC_LOG_LEVEL: 'info',
    DATABASE_URL: database.url,
    TEMPORAL_ADDRESS: options.temporal_address,
    TEMPORAL_NAMESPACE: namespace,
    ...options.env,
  }
  const children = new Set<ChildProcess>()
  const start = async (script: string, extra: Record<string, string> = {}): Promise<ChildProcess> => {
    const log = createWriteStream(join(home, `${script.replaceAll('/', '-')}.log`), { flags: 'a' })
    const child = spawn(process.execPath, [...nodeFlags(), ...programArgs(script)], {
      cwd: ROOT,
      env: { ...env, ...extra },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (chunk: Buffer) => {
        output = `${output}${chunk}`.slice(-4_000)
        log.write(chunk)
      })
    }
    children.add(child)
    child.once('exit', (code) => {
      children.delete(child)
      if (code) process.stderr.write(`${script} ended with ${code}:\n${output}\n`)
    })
    const ended = once(child, 'exit').then(() =>
      Promise.reject(new Error(`${script} ended before it was ready:\n${output}`)),
    )
    await Promise.race([once(child, 'message'), ended])
    ended.catch(() => undefined)
    return child
  }

  const service: TestService = {
    url,
    home,
    namespace,
    database,
    temporal: new Client({ connection, namespace }),
    async call(method, path, body, headers = {}) {
      const response = await fetch(`${url}${path}`, {
        method,
        headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      })
      const text = await response.text()
      return { status: response.status, headers: response.headers, body: parse(text) }
    },
    async until(path, done, within_ms = PATIENCE.timeout, headers = {}) {
      const deadline = Date.now() + within_ms
      for (let pause_ms = PATIENCE.interval; ; pause_ms = Math.min(pause_ms * 1.2, LONGEST_PAUSE_MS)) {
        const reply = await service
          .call('GET', path, undefined, headers)
          .catch((error: unknown) => ({ status: 0, headers: new Headers(), body: { error: String(error) } }))
        if (reply.status === 200 && done(reply.body as never)) return reply.body as never
        if (Date.now() > deadline)
          throw new Error(`${path} did not get there in ${within_ms} ms: ${reply.status} ${JSON.stringify(reply.body)}`)
        await new Promise((resolve) => setTimeout(resolve, pause_ms))
      }
    },
    startApi: (extra) => start('api/main.ts', extra),
    startWorker: (extra) => start('workers/main.ts', extra),
    async stop() {
      const ending = [...children].map((child) => once(child, 'exit'))
      for (const child of children) child.kill('SIGTERM')
      await Promise.all(ending)
      await Promise.all([connection.close(), database.drop(), rm(home, { recursive: true, force: true })])
    },
  }
  await Promise.all([
    ...(options.api === false ? [] : [service.startApi()]),
    ...Array.from({ length: options.workers ?? 1 }, () => service.startWorker()),
  ])
  return service
}

async function createHome(files: Record<string, string> = {}): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), 'svc-test-'))
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(home, path)), { recursive: true })
    await writeFile(join(home, path), text)
  }
  return home
}

/** A connection to a namespace of its own. */
async function connectTo(address: string, namespace: string): Promise<Connection> {
  const connection = await Connection.connect({ address })
  await connection.workflowService.registerNamespace({
    namespace,
    workflowExecutionRetentionPeriod: { seconds: 86_400 as never },
  })
  await prepareNamespace({ connection, namespace, owned: true, log: createLogger({ level: 'warn', name: 'test' }) })
  return connection
}

function parse(text: string): never {
  try {
    return JSON.parse(text) as never
  } catch {
    return text as never
  }
}
