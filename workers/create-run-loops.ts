import type { ActivityDeps } from '#activities/deps.ts'
import type { RunStart } from '#core/contract.ts'
import type { Config } from '#platform/config.ts'
import type { Logger } from '#platform/logger.ts'
import type { RunWorkflows } from '#platform/temporal/run-workflows.ts'
import { expireDueGate } from '#services/approvals/expire-gate.ts'
import { reportRefusals } from '#services/refusals/record-refusals.ts'
import { type ArtifactObjects, removeObjects } from '#services/runs/artifact-objects.ts'
import { closeRun } from '#services/runs/close-run.ts'
import { forgetPipelines, forgetRuns } from '#services/runs/retention.ts'
import { createAlertStore } from '#store/alerts/alerts.ts'
import { purgeInbox } from '#store/alerts/inbox.ts'
import { createIngressDeliveries } from '#store/alerts/ingress-deliveries.ts'
import { purgeAskThreads } from '#store/ask/ask-threads.ts'
import { createRefusals } from '#store/audit/refusals.ts'
import type { Db } from '#store/db.ts'
import { createHaltStore } from '#store/halts.ts'
import { purgeKeys } from '#store/idempotency.ts'
import { createModelCalls } from '#store/models/model-calls.ts'
import { createOverdueQueries } from '#store/overdue.ts'
import { type ArtifactRemoval, createArtifactRemovals } from '#store/runs/artifact-removals.ts'
import { createRunRetention } from '#store/runs/run-retention.ts'
import { purgeScheduleFirings } from '#store/schedules/schedule-firings.ts'
import { createHeldRunLoop } from './loops/held-runs.ts'
import { createSweeps, type SweepDeps } from './loops/sweeps.ts'

const OBJECTS_A_SWEEP = 50

export interface RunLoopOptions {
  config: Config
  db: Db
  deps: ActivityDeps
  objects: Pick<ArtifactObjects, 'remove'>
  start(run: RunStart): Promise<void>
  workflows: RunWorkflows
  followRemoteJobs: SweepDeps['followRemoteJobs']
  /** forgets what skills fired on past its time */
  purgeFirings(): Promise<unknown>
  leading(): boolean
  log: Logger
}

/** Makes the loops for runs: one repairs and deletes, the other wakes those that a halt held. */
export function createRunLoops(options: RunLoopOptions): { start(): void; stop(): Promise<void> } {
  const { config, db, deps, objects, start, workflows, followRemoteJobs, purgeFirings, leading, log } = options
  const { runs } = deps
  const refusals = createRefusals(db)
  const modelCalls = createModelCalls(db)
  const sweeps = createSweeps({
    runs,
    overdue: createOverdueQueries(db),
    start,
    workflows,
    followRemoteJobs,
    expireGate: (claim) => expireDueGate(deps, claim),
    closeRun: (claim, error) => closeRun(deps, claim, error),
    reportRefusals: () => reportRefusals({ ...deps, runs, refusals }),
    settleLostModelCalls: async () => {
      const count = await modelCalls.settleLost(100)
      if (count > 0) log.warn({ count }, 'charged model calls whose process died')
    },
    purgeKeys: () => purgeKeys(db),
    purgeFirings,
    purgeDeliveries: createIngressDeliveries(db).purge,
    purgeAlertEnds: createAlertStore(db).purgeEnds,
    purgeRefusals: refusals.purge,
    purgeInbox: () => purgeInbox(db, config.inbox.retentionMs),
    purgeScheduleFirings: () => purgeScheduleFirings(db, config.schedules.retentionMs),
    purgeAskThreads: () => purgeAskThreads(db, config.ask.retentionMs),
    forgetRuns: async () => {
      if (config.runRetentionDays === undefined) return
      const kept = { ...deps, retention: createRunRetention(db) }
      const count = await forgetRuns(kept, config.runRetentionDays)
      if (count > 0) log.info({ count }, 'forgot runs that ended long ago')
      const pipelines = await forgetPipelines(kept, config.runRetentionDays)
      if (pipelines > 0) log.info({ count: pipelines }, 'forgot pipelines that ended long ago')
    },
    removeObjects: async () => {
      const failed = (removal: ArtifactRemoval, err: unknown) =>
        log.warn({ ...removal, err }, 'the object of a deleted artifact could not be deleted; it is tried again')
      const count = await removeObjects({ removals: createArtifactRemovals(db), objects, failed }, OBJECTS_A_SWEEP)
      if (count > 0) log.info({ count }, 'deleted objects of artifacts that are gone')
    },
    leading,
    log,
  })
  const heldRuns = createHeldRunLoop({
    halts: createHaltStore(db),
    wake: workflows.wake,
    leading,
    log,
  })
  return {
    start() {
      sweeps.start()
      heldRuns.start()
    },
    async stop() {
      await sweeps.stop()
      await heldRuns.stop()
    },
  }
}
