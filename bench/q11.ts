import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findFreePort } from '#platform/embedded/free-port.ts'
import { programArgs } from '#platform/program/program-args.ts'
import { type Memory, memoryOf } from './memory.ts'
import { q11Recovery } from './q11-recovery.ts'
import { defineScenario, type Given } from './scenario.ts'
import { startBenchStack } from './stack.ts'
import { quantile, round } from './stats.ts'

interface Q11Options {
  /** stacks that are started: each once on an empty data directory and once more on the same */
  starts: number
  /** repetitions of each short command */
  commands: number
  /** idle time of a stack before its memory is read */
  idle_ms: number
}

const GIVE_UP_MS = 120_000

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

export const q11 = defineScenario({
  id: 'q11',
  async run({ quick }: Given) {
    const row = await measure(
      quick ? { starts: 2, commands: 3, idle_ms: 5_000 } : { starts: 5, commands: 5, idle_ms: 30_000 },
    )
    // the limits of the lanes are not to hold back what was killed
    const stack = await startBenchStack({ SVC_LANE_REALTIME: '250', SVC_LANE_BACKGROUND: '250' })
    try {
      return { ...row, recovery: await q11Recovery(stack, { runs: 200, hold_ms: quick ? 5_000 : 10_000 }) }
    } finally {
      await stack.stop()
    }
  },
  show(row) {
    console.log(
      '\nQ11 up, and up again: svc start until /healthz answers 200, on an empty data directory and on a used one',
    )
    console.table({ ...row.starts, ...row.commands })
    console.log(
      `the first command, which may have to build its bundle: ${row.first_command_ms} ms; memory of the idle stack:`,
    )
    console.table(row.memory)
    console.log('kill -9 of the worker in the middle of all their steps')
    console.table([row.recovery])
  },
})

/** Up, and up again: `svc start` until `/healthz` answers 200, cold and warm, what the idle stack holds, and two short commands. */
async function measure(options: Q11Options) {
  const cold: number[] = []
  const warm: number[] = []
  const version: number[] = []
  const whoami: number[] = []
  let memory: Memory[] = []
  // the first start after a change builds the bundles; it is reported separately
  const first_ms = await timeCommand(['config'], process.env)
  for (let n = 0; n < options.starts; n += 1) {
    const home = await mkdtemp(join(tmpdir(), 'svc-q11-'))
    const env = await environmentOf(home)
    try {
      cold.push(await withStack(env, async () => undefined))
      warm.push(
        await withStack(env, async (pid) => {
          for (let k = 0; k < options.commands; k += 1) {
            version.push(await timeCommand(['--version'], env))
            whoami.push(await timeCommand(['whoami'], env))
          }
          await pause(options.idle_ms)
          memory = memoryOf(pid)
        }),
      )
    } finally {
      await rm(home, { recursive: true, force: true })
    }
  }
  const total = (of: 'rss_mb' | 'pss_mb') => Math.round(memory.reduce((sum, each) => sum + each[of], 0))
  return {
    first_command_ms: Math.round(first_ms),
    starts: { 'cold start': side(cold), 'warm start': side(warm) },
    commands: { 'svc --version': side(version), 'svc whoami': side(whoami) },
    memory: [...memory, { process: 'all', rss_mb: total('rss_mb'), pss_mb: total('pss_mb') }],
  }
}

const side = (sample: number[]) => ({
  'median s': round(quantile(sample, 0.5) / 1_000),
  'least s': round(Math.min(...sample) / 1_000),
  'most s': round(Math.max(...sample) / 1_000),
  n: sample.length,
})

async function environmentOf(home: string): Promise<NodeJS.ProcessEnv> {
  const [api, temporal] = [await findFreePort(19_290), await findFreePort(17_433)]
  return {
    ...process.env,
    DATABASE_URL: '',
    TEMPORAL_ADDRESS: '',
    SVC_HOME: home,
    SVC_PORT: String(api),
    SVC_TEMPORAL_PORT: String(temporal),
  }
}

/** Milliseconds until the stack was healthy; then `use`, and an orderly end. */
async function withStack(env: NodeJS.ProcessEnv, use: (pid: number) => Promise<void>): Promise<number> {
  const began = performance.now()
  const child = spawn(process.execPath, programArgs('cli/main.ts', 'start'), {
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const ended = once(child, 'exit')
  try {
    while (!(await healthy(`http://127.0.0.1:${env['SVC_PORT']}/healthz`))) {
      if (child.exitCode !== null) throw new Error(`svc start ended with ${child.exitCode}`)
      if (performance.now() - began > GIVE_UP_MS) throw new Error('svc start was not healthy in time')
      await pause(10)
    }
    const took = performance.now() - began
    await use(child.pid ?? 0)
    return took
  } finally {
    child.kill('SIGTERM')
    await ended
  }
}

async function healthy(url: string): Promise<boolean> {
  try {
    return (await fetch(url)).ok
  } catch {
    return false
  }
}

async function timeCommand(args: string[], env: NodeJS.ProcessEnv): Promise<number> {
  const began = performance.now()
  const svc = new URL('../cli/svc.mjs', import.meta.url).pathname
  const child = spawn(process.execPath, [svc, ...args], { env, stdio: ['ignore', 'ignore', 'inherit'] })
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`svc ${args.join(' ')} ended with ${code}`)
  return performance.now() - began
}
