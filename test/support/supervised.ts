import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'
import { poll } from '#platform/embedded/processes.ts'
import type { Stack } from '#platform/embedded/supervisor.ts'
import { programArgs } from '#platform/program/program-args.ts'
import { freePorts } from './free-ports.ts'

export interface JournalEntry {
  name: string
  event: string
  pid: number
}

const SCRIPT = 'test/support/supervise.ts'

/** A home keeps its ports over the lives of its supervisors. */
const portsOf = new Map<string, number[]>()

async function environmentFor(home: string): Promise<Record<string, string>> {
  const ports = portsOf.get(home) ?? (await freePorts(3))
  portsOf.set(home, ports)
  const [api, temporal, ui] = ports
  return {
    SVC_HOME: home,
    DATABASE_URL: '',
    TEMPORAL_ADDRESS: '',
    SVC_PORT: String(api),
    SVC_TEMPORAL_PORT: String(temporal),
    SVC_TEMPORAL_UI_PORT: String(ui),
  }
}

/** Starts a supervisor in a process group of its own, under a parent that never reads how it ended. */
export async function startForgotten(home: string, cleanups: (() => Promise<unknown>)[]) {
  const output = join(home, 'stack.json')
  // `exec` leaves the shell's place to a program that knows of no child
  const script = 'setsid "$@" >"$OUT" 2>"$OUT.err" & echo $!; exec sleep 600'
  const command = [process.execPath, ...programArgs(SCRIPT, join(home, 'journal.jsonl'))]
  const parent = execa('sh', ['-c', script, 'sh', ...command], {
    env: { ...(await environmentFor(home)), OUT: output },
    reject: false,
  })
  cleanups.push(async () => {
    parent.kill('SIGKILL')
    return parent
  })
  const pid = Number(await once(parent.stdout, 'data').then(([chunk]) => String(chunk)))
  const text = await poll(async () => {
    const found = await readFile(output, 'utf8').catch(() => '')
    return found.includes('\n') ? found : undefined
  }, 60_000)
  const stack: Stack = JSON.parse(text ?? '')
  return { pid, stack }
}

/** Starts a supervisor with watchable children in a process of its own; it is ended with the test. */
export async function startSupervised(
  home: string,
  cleanups: (() => Promise<unknown>)[],
  env: Record<string, string> = {},
  account: { uid?: number; gid?: number } = {},
) {
  const journalFile = join(home, 'journal.jsonl')
  const child = execa(process.execPath, programArgs(SCRIPT, journalFile), {
    ...account,
    env: { ...(await environmentFor(home)), ...env },
    reject: false,
    cleanup: true,
    // on a busy machine an orderly stop takes longer than the five seconds after which a kill would follow
    forceKillAfterDelay: false,
  })
  const exit = async () => (await child).exitCode ?? null
  const terminate = async () => {
    child.kill('SIGTERM')
    return exit()
  }
  let output = ''
  let errors = ''
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()))
  cleanups.push(terminate)
  return {
    pid: child.pid ?? 0,
    exit,
    terminate,
    errors: () => errors,
    async ready(): Promise<Stack> {
      const line = await poll(() => (output.includes('\n') || child.exitCode !== null ? { output } : undefined), 60_000)
      if (!line?.output) throw new Error(`the supervisor did not come up: ${errors}`)
      return JSON.parse(line.output)
    },
    async journal(): Promise<JournalEntry[]> {
      const text = await readFile(journalFile, 'utf8').catch(() => '')
      return text
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line))
    },
  }
}
