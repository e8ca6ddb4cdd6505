import type { Client } from '@temporalio/client'
import { createScheduleActivities } from '#activities/claims/other-workflows.ts'
import type { ScheduleActivities } from '#core/schedule/contract.ts'
import type { Clock } from '#core/time/time.ts'
import type { Config } from '#platform/config.ts'
import type { createDeploymentContent } from '#platform/deployment-content.ts'
import type { Logger } from '#platform/logger.ts'
import { createLoop } from '#platform/program/create-loop.ts'
import { createTemporalSchedules } from '#platform/schedules/temporal-schedules.ts'
import type { Engine } from '#services/context.ts'
import { createServiceDeps } from '#services/create-service-deps.ts'
import { type SyncDeps, syncSchedules } from '#services/schedules/sync-schedules.ts'
import { createWorkspaceDirectory } from '#services/workspaces/workspace-directory.ts'
import type { Db } from '#store/db.ts'
import { createGateDecisions } from '#store/gates/gate-decisions.ts'
import { createScheduleStore } from '#store/schedules/schedules.ts'
import { unscoped } from '#store/tenant-db.ts'
import { createWorkspaceStore } from '#store/workspaces.ts'

const EVERY_MS = 60_000
/** Until this process leads, or the engine answers, it polls more often. */
const SOON_MS = 2_000

/** Repairs the engine's schedules from the table: at boot, and every minute, in the process that leads. */
function createScheduleSync(deps: SyncDeps & { leading(): boolean }) {
  const failed = 'schedules could not be brought to the engine; trying again'
  return createLoop({ first_ms: 0, again_ms: SOON_MS, failed, log: deps.log }, async () => {
    if (!deps.leading()) return SOON_MS
    await syncSchedules(deps)
    return EVERY_MS
  })
}

export interface SchedulesOptions {
  config: Config
  db: Db
  client: Client
  engine: Engine
  content: ReturnType<typeof createDeploymentContent>
  notifyRun(runId: string): void
  /** true while this process leads: the leader repairs the engine's schedules */
  leading(): boolean
  clock: Clock
  log: Logger
}

/** Fires schedules: the activities of their ticks, and the loop that keeps the engine's schedules equal to the table. */
export function createSchedules(options: SchedulesOptions): {
  activities: ScheduleActivities
  start(): void
  stop(): Promise<void>
} {
  const { config, db, content, log, engine, notifyRun, clock } = options
  const tenants = unscoped(db)
  const store = createScheduleStore(db, tenants)
  const services = createServiceDeps(config, {
    db,
    tenants,
    content,
    engine,
    notifyRun,
    clock,
    later: (work) =>
      void work().catch((error: unknown) =>
        log.warn({ err: error }, 'a start after a firing failed; a sweep repeats it'),
      ),
  })
  const workspaces = createWorkspaceDirectory(createWorkspaceStore(db), clock)
  const sync = createScheduleSync({
    ...services,
    store,
    workspaces,
    engine: createTemporalSchedules(options.client),
    declared: content.schedules.declaredSchedules,
    unread: content.schedules.unreadSources,
    leading: options.leading,
    log,
  })
  const { ids } = services
  const claims = { decisions: createGateDecisions(db), clock, ids }
  const activities = createScheduleActivities({ services, store, workspaces, claims })
  return { activities, start: sync.start, stop: sync.stop }
}
