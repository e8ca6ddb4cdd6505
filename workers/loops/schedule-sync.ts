import { createLoop } from '#platform/program/create-loop.ts'
import { type SyncDeps, syncSchedules } from '#services/schedules/sync-schedules.ts'

const EVERY_MS = 60_000
/** Until this process leads, or the engine answers, it polls more often. */
const SOON_MS = 2_000

/** Repairs the engine's schedules from the table: at boot, and every minute, in the process that leads. */
export function createScheduleSync(deps: SyncDeps & { leading(): boolean }) {
  const failed = 'schedules could not be brought to the engine; trying again'
  return createLoop({ first_ms: 0, again_ms: SOON_MS, failed, log: deps.log }, async () => {
    if (!deps.leading()) return SOON_MS
    await syncSchedules(deps)
    return EVERY_MS
  })
}
