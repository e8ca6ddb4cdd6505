import { type SyncDeps, syncSchedules } from '#services/schedules/sync-schedules.ts'

const EVERY_MS = 60_000
/** Until this process leads, or the engine answers, it looks more often. */
const SOON_MS = 2_000

/** Repairs the engine's schedules from the table: at boot, and every minute, in the process that leads. */
export function createScheduleSync(deps: SyncDeps & { leading(): boolean }) {
  let stopped = false
  let timer: ReturnType<typeof setTimeout> | undefined
  let current: Promise<void> = Promise.resolve()

  async function sync(): Promise<number> {
    if (!deps.leading()) return SOON_MS
    try {
      await syncSchedules(deps)
      return EVERY_MS
    } catch (error) {
      deps.log.warn({ error: String(error) }, 'schedules could not be brought to the engine; trying again')
      return SOON_MS
    }
  }

  function next(wait_ms: number): void {
    timer = setTimeout(() => {
      current = sync().then((wait) => {
        if (!stopped) next(wait)
      })
    }, wait_ms)
  }

  return {
    start: () => next(0),
    async stop(): Promise<void> {
      stopped = true
      clearTimeout(timer)
      await current
    },
  }
}
