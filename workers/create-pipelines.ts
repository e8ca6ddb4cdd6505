import type { Client } from '@temporalio/client'
import { createPipelineActivities } from '#activities/claims/other-workflows.ts'
import type { PipelineActivities } from '#core/pipeline/contract.ts'
import type { Clock } from '#core/time/time.ts'
import type { Config } from '#platform/config.ts'
import type { createDeploymentContent } from '#platform/deployment-content.ts'
import type { Logger } from '#platform/logger.ts'
import { sha256 } from '#platform/sha256.ts'
import { createPipelineWorkflows } from '#platform/temporal/pipeline-workflows.ts'
import type { Engine } from '#services/context.ts'
import { createServiceDeps } from '#services/create-service-deps.ts'
import { advanceBeside } from '#services/pipelines/advance-pipeline.ts'
import { createWorkspaceDirectory } from '#services/workspaces/workspace-directory.ts'
import { BUS_CHANNEL } from '#store/bus/bus-log.ts'
import { createBusReads } from '#store/bus/bus-reads.ts'
import type { Db } from '#store/db.ts'
import { createGateDecisions } from '#store/gates/gate-decisions.ts'
import { createPipelineWakes, PIPELINES_CHANNEL } from '#store/pipelines/pipeline-wakes.ts'
import { createPipelineStore } from '#store/pipelines/pipelines.ts'
import { unscoped } from '#store/tenant-db.ts'
import { createWorkspaceStore } from '#store/workspaces.ts'
import { createGatheredUpdates } from './loops/gathered-updates.ts'
import { createPipelineLoop } from './loops/pipelines.ts'

export interface PipelinesOptions {
  config: Config
  db: Db
  client: Client
  engine: Engine
  content: ReturnType<typeof createDeploymentContent>
  notifyRun(runId: string): void
  /** true while this process leads: the leader wakes pipelines */
  leading(): boolean
  clock: Clock
  log: Logger
}

/** Advances pipelines: the activity of their workflows, and the loop that wakes them. */
export function createPipelines(options: PipelinesOptions): {
  activities: PipelineActivities
  start(): Promise<void>
  stop(): Promise<void>
} {
  const { config, db, client, content, log, engine, notifyRun, leading, clock } = options
  const services = createServiceDeps(config, {
    db,
    tenants: unscoped(db),
    content,
    engine,
    notifyRun,
    clock,
    later: (work) =>
      void work().catch((error: unknown) =>
        log.warn({ err: error }, 'the start of a run of a pipeline failed; a sweep repeats it'),
      ),
  })
  const pipelines = createPipelineStore(db, sha256)
  const bus = createBusReads(db)
  const workspaces = createWorkspaceDirectory(createWorkspaceStore(db), clock)
  const { ids } = services
  const claims = { decisions: createGateDecisions(db), clock, ids }
  const gathered = createGatheredUpdates(() => performance.now())
  const advance = { services, pipelines, bus, workspaces, claims, onWait: gathered.evaluated }
  const loop = createPipelineLoop({
    pipelines: createPipelineWakes(db),
    bus,
    workflows: createPipelineWorkflows(client),
    evaluate: (pipeline) => advanceBeside(advance, pipeline),
    gathered,
    async listen(onUpdate) {
      const subscriptions = await Promise.all(
        [PIPELINES_CHANNEL, BUS_CHANNEL].map((channel) => db.listen(channel, onUpdate, onUpdate)),
      )
      return () => Promise.all(subscriptions.map(({ unlisten }) => unlisten()))
    },
    leading,
    log,
  })
  const activities = createPipelineActivities(advance)
  return { activities, start: loop.start, stop: loop.stop }
}
