import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { execa } from 'execa'

/** Tells whether a process with this id exists, with any owner. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

/**
 * Tells whether a process runs. An ended one keeps its id until its parent has read its status. Its files and ports are free once the last
 * of its threads has ended, which may be later than the first one.
 */
export async function isRunning(pid: number): Promise<boolean> {
  if (!isAlive(pid)) return false
  if (process.platform !== 'linux') return true
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  // proc_pid_stat(5): the state is field 3, the number of threads field 20; the name before them may hold anything
  const [state = '', ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return stat !== '' && (!/[ZX]/.test(state) || Number(fields[16]) > 1)
}

/** The command line of a process, or undefined when there is none. Ids are reused, so check it before you signal one. */
export async function commandOf(pid: number): Promise<string | undefined> {
  try {
    if (process.platform === 'linux')
      return (await readFile(`/proc/${pid}/cmdline`, 'utf8')).replaceAll('\0', ' ').trim() || undefined
    return (await execa('ps', ['-o', 'command=', '-p', String(pid)])).stdout.trim() || undefined
  } catch {
    return undefined
  }
}

/** Polls until `check` answers something else than undefined or false; undefined after `timeoutMs`. */
export async function poll<T>(
  check: () => Promise<T | undefined | false> | T | undefined | false,
  timeoutMs: number,
  everyMs = 20,
): Promise<T | undefined> {
  const deadline = Date.now() + timeoutMs
  for (;;) {
    const result = await check()
    if (result !== undefined && result !== false) return result
    if (Date.now() >= deadline) return undefined
    await sleep(everyMs)
  }
}

/** Signals a process and waits for its end; after `graceMs` it is killed. */
export async function terminate(pid: number, signal: NodeJS.Signals, graceMs: number): Promise<void> {
  if (!sendSignal(pid, signal)) return
  if (await poll(async () => !(await isRunning(pid)), graceMs)) return
  sendSignal(pid, 'SIGKILL')
  await poll(async () => !(await isRunning(pid)), 5_000)
}

/** Sends a signal to a process (or with a negative id to its group); false when it has ended. */
export function sendSignal(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal)
  } catch {
    return false
  }
}
