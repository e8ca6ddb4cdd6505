import type { Log } from '#core/log.ts'

export interface LoopOptions {
  first_ms: number
  /** delay after a failed round */
  again_ms: number
  /** the message of a warning */
  failed: string
  log: Pick<Log, 'warn'>
}

/** Runs `round` repeatedly, each time after the delay that the previous one returned. A stop waits for the running one. */
export function createLoop({ first_ms, again_ms, failed, log }: LoopOptions, round: () => Promise<number>) {
  let stopped = false
  let timer: ReturnType<typeof setTimeout> | undefined
  let current: Promise<void> = Promise.resolve()

  async function run(): Promise<void> {
    let wait_ms = again_ms
    try {
      wait_ms = await round()
    } catch (err) {
      log.warn({ err }, failed)
    }
    next(wait_ms)
  }

  function next(wait_ms: number): void {
    if (stopped) return
    timer = setTimeout(() => {
      current = run()
    }, wait_ms)
  }

  return {
    start: () => next(first_ms),
    async stop(): Promise<void> {
      stopped = true
      clearTimeout(timer)
      await current
    },
  }
}
