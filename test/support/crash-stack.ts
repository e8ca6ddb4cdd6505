import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { isAlive, poll, sendSignal } from '#platform/embedded/processes.ts'
import { CRASH_PACKS, exitSignal } from './crash-service.ts'
import { freePorts } from './free-ports.ts'
import type { Reply, TestService } from './service.ts'

const SVC = fileURLToPath(new URL('../../cli/svc.mjs', import.meta.url))

/** `svc start` on a data directory, as somebody would run it, with ways to kill its parts. */
export interface CrashStack {
  call: TestService['call']
  until: TestService['until']
  healthy(): Promise<void>
  /** superuser url of the embedded database, at its port of the moment */
  databaseUrl(): Promise<string>
  killPostgres(): Promise<void>
  killTemporal(): Promise<void>
  /** Supervisor, API, worker, Temporal and PostgreSQL, all at once. */
  killEverything(): Promise<void>
  /** What an ordinary Ctrl-C does; the exit code. */
  stop(): Promise<number | null>
}

/** Ports that stay the same over the lives of a stack. */
export async function crashPorts(): Promise<Record<string, string>> {
  const [api, temporal, ui] = await freePorts(3)
  return { SVC_PORT: String(api), SVC_TEMPORAL_PORT: String(temporal), SVC_TEMPORAL_UI_PORT: String(ui) }
}

/** Starts everything and waits until it serves. */
export async function startCrashStack(home: string, ports: Record<string, string>): Promise<CrashStack> {
  const child = spawn(process.execPath, [SVC, 'start'], {
    env: {
      ...process.env,
      DATABASE_URL: '',
      TEMPORAL_ADDRESS: '',
      SVC_HOME: home,
      SVC_PACKS_DIR: CRASH_PACKS,
      ...ports,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output = `${output}${chunk}`.slice(-4_000)
    })
  }
  const url = `http://127.0.0.1:${ports['SVC_PORT']}`
  const ready = await poll(() => child.exitCode !== null || output.includes('is ready in'), 90_000)
  if (!ready || child.exitCode !== null) throw new Error(`svc start did not come up:\n${output}`)
  const call: TestService['call'] = async (method, path, body) => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: body === undefined ? {} : { 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    return { status: response.status, headers: response.headers, body: JSON.parse(await response.text()) }
  }
  const until: TestService['until'] = async (path, done, within_ms = 60_000) => {
    let last: Reply<unknown> | undefined
    const found = await poll(async () => {
      last = await call<never>('GET', path).catch(() => undefined)
      return last?.status === 200 && done(last.body as never) && { body: last.body as never }
    }, within_ms)
    if (!found) throw new Error(`${path} did not get there in ${within_ms} ms: ${JSON.stringify(last?.body)}`)
    return found.body
  }
  return {
    call,
    until,
    healthy: async () => void (await until('/healthz', () => true)),
    async databaseUrl() {
      const { port } = await postmaster(home)
      const password = (await readFile(join(home, 'postgres-password'), 'utf8')).trim()
      return `postgres://postgres:${password}@127.0.0.1:${port}/svc`
    },
    killPostgres: async () => kill([(await postmaster(home)).pid]),
    killTemporal: async () => kill([await temporalPid(home)]),
    async killEverything() {
      const pids = [child.pid ?? 0, ...(await childrenOf(child)), (await postmaster(home)).pid, await temporalPid(home)]
      await kill([...new Set(pids)])
    },
    async stop() {
      child.kill('SIGTERM')
      await exitSignal(child)
      return child.exitCode
    },
  }
}

async function postmaster(home: string): Promise<{ pid: number; port: number }> {
  const lines = (await readFile(join(home, 'postgres', 'postmaster.pid'), 'utf8')).split('\n')
  return { pid: Number(lines[0]), port: Number(lines[3]) }
}

async function temporalPid(home: string): Promise<number> {
  return Number(JSON.parse(await readFile(join(home, 'temporal.json'), 'utf8')).pid)
}

async function childrenOf({ pid }: ChildProcess): Promise<number[]> {
  const { stdout } = await promisify(execFile)('pgrep', ['-P', String(pid)])
  return stdout.trim().split('\n').map(Number)
}

async function kill(pids: number[]): Promise<void> {
  for (const pid of pids) sendSignal(pid, 'SIGKILL')
  // a server whose supervisor died with it stays as a zombie until its new parent has looked: its port tells the rest
  await poll(() => pids.every((pid) => !isAlive(pid)), 2_000)
}
