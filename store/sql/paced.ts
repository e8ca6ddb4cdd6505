/**
 * Runs `work` at once when it has rested for `interval_ms`, and otherwise once at the end of that rest, however often it is requested in
 * between. Never two at a time. `work` handles its own failures.
 */
export function paced(work: () => Promise<void>, interval_ms: number) {
  let asked = false
  let running: Promise<void> | undefined
  let timer: ReturnType<typeof setTimeout> | undefined

  function run(): void {
    timer = undefined
    asked = false
    running = work().finally(() => {
      running = undefined
      timer = setTimeout(rested, interval_ms)
    })
  }

  function rested(): void {
    timer = undefined
    if (asked) run()
  }

  return {
    ask(): void {
      asked = true
      if (running === undefined && timer === undefined) run()
    },
    /** Runs pending work at once. */
    async close(): Promise<void> {
      await running
      clearTimeout(timer)
      timer = undefined
      if (asked) run()
      await running
      clearTimeout(timer)
    },
  }
}
