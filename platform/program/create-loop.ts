/** Does `round` again and again, each time after as many milliseconds as the one before has answered. A stop waits for the one under way. */
export function createLoop(first_ms: number, round: () => Promise<number>) {
  let stopped = false
  let timer: ReturnType<typeof setTimeout> | undefined
  let current: Promise<void> = Promise.resolve()

  function next(wait_ms: number): void {
    if (stopped) return
    timer = setTimeout(() => {
      current = round().then(next)
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
