import { readFileSync } from 'node:fs'

/**
 * How long a process has run, in milliseconds, without what it waited for others to let it: a measure that a busy machine does not change
 * much. Where the system does not say so, the time of the clock.
 */
export function processTime(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1_000_000
  } catch {
    return performance.now()
  }
}
