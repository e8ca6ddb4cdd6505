import type { Log } from '#core/log.ts'

const EVERY_MS = 1_000
/** One late answer on a busy machine is not an outage. */
const MISSES = 2

interface ReachabilityPorts {
  /** one round trip; rejects when there is no answer in time */
  ping(): Promise<void>
  log: Pick<Log, 'info' | 'warn'>
}

/**
 * Checks once a second whether the engine answers, so that requests need not wait for that. Until the first failure it counts as reachable.
 */
export function watchReachability({ ping, log }: ReachabilityPorts): { away(): boolean; close(): void } {
  let misses = 0
  let asking = false

  async function ask(): Promise<void> {
    if (asking) return
    asking = true
    const answered = await ping().then(
      () => true,
      () => false,
    )
    asking = false
    if (answered && misses >= MISSES) log.info({}, 'the workflow engine is back')
    misses = answered ? 0 : misses + 1
    if (misses === MISSES) log.warn({}, 'the workflow engine does not answer')
  }

  const timer = setInterval(() => void ask(), EVERY_MS)
  return {
    away: () => misses >= MISSES,
    close: () => clearInterval(timer),
  }
}
