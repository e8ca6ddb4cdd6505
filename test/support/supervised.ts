import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import { findFreePort } from '#platform/embedded/free-port.ts'
import { poll } from '#platform/embedded/processes.ts'
import type { Stack } from '#platform/embedded/supervisor.ts'

export interface JournalEntry {
  name: string
  event: string
  pid: number
}

/** Starts a supervisor with watchable children in a process of its own; it is ended with the test. */
export async function startSupervised(
  home: string,
  cleanups: (() => Promise<unknown>)[],
  env: Record<string, string> = {},
  account: { uid?: number; gid?: number } = {},
) {
  const journalFile = join(home, 'journal.jsonl')
  const script = fileURLToPath(new URL('./supervise.ts', import.meta.url))
  const ports = {
    SVC_PORT: String(await findFreePort(29_090)),
    SVC_TEMPORAL_PORT: '27533',
    SVC_TEMPORAL_UI_PORT: '28533',
  }
  const child = execa(process.execPath, ['--import', import.meta.resolve('tsx'), script, journalFile], {
    ...account,
    env: { SVC_HOME: home, DATABASE_URL: '', TEMPORAL_ADDRESS: '', ...ports, ...env },
    reject: false,
    cleanup: true,
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
