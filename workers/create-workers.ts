import { DefaultLogger, NativeConnection, Worker } from '@temporalio/worker'
import { type LaneActivities, LEDGER_QUEUE, type LedgerActivities, RUN_FAILED_MESSAGE } from '#core/contract.ts'
import type { Log } from '#core/log.ts'
import type { NoticeActivities } from '#core/notify/contract.ts'
import type { PipelineActivities } from '#core/pipeline/contract.ts'
import type { RemoteJobActivities } from '#core/remote-job/contract.ts'
import type { ScheduleActivities } from '#core/schedule/contract.ts'
import type { Config } from '#platform/config.ts'
import { tlsOptions } from '#platform/temporal/connect.ts'
import { readTemporalTarget } from '#platform/temporal/temporal-connection.ts'

export interface WorkerOptions {
  connection: NativeConnection
  namespace: string
  bundle_path: string
  lanes: { realtime: number; background: number }
  activities: {
    lane: LaneActivities & LedgerActivities
    ledger: LedgerActivities
    notices?: NoticeActivities
    schedule?: ScheduleActivities
    pipeline?: PipelineActivities
    remote?: RemoteJobActivities
  }
  max_cached_workflows?: number
  /** the version that the workers are to Temporal: none unless a rolling upgrade is wanted */
  deployment?: { deploymentName: string; buildId: string } | undefined
}

/** Makes one worker per lane, whose activity slots are the lane's limit, and one for bookkeeping and notices that no lane limits. */
export async function createWorkers(options: WorkerOptions): Promise<Worker[]> {
  const shared = {
    connection: options.connection,
    namespace: options.namespace,
    shutdownGraceTime: '10s',
    // a dead worker is noticed, and a cancelled operator notified, within a second or two
    maxHeartbeatThrottleInterval: '500ms',
    defaultHeartbeatThrottleInterval: '500ms',
    stickyQueueScheduleToStartTimeout: '2s',
    // a workflow whose commands change gets a type of its own, so that open runs may continue with the next version
    ...(options.deployment && {
      workerDeploymentOptions: {
        useWorkerVersioning: true as const,
        version: options.deployment,
        defaultVersioningBehavior: 'AUTO_UPGRADE' as const,
      },
    }),
  } as const
  const lane = (taskQueue: 'realtime' | 'background', workflowTasks: number) =>
    Worker.create({
      ...shared,
      taskQueue,
      workflowBundle: { codePath: options.bundle_path },
      activities: { ...options.activities.lane },
      maxConcurrentActivityTaskExecutions: options.lanes[taskQueue],
      // a local execution keeps its workflow task: decisions have theirs all the same
      maxConcurrentWorkflowTaskExecutions: workflowTasks + options.lanes[taskQueue],
      maxConcurrentLocalActivityExecutions: 100,
      maxCachedWorkflows: options.max_cached_workflows ?? 500,
    })
  return await Promise.all([
    lane('realtime', 20),
    lane('background', 10),
    Worker.create({
      ...shared,
      taskQueue: LEDGER_QUEUE,
      workflowBundle: { codePath: options.bundle_path },
      activities: {
        ...options.activities.ledger,
        ...options.activities.notices,
        ...options.activities.schedule,
        ...options.activities.pipeline,
        ...options.activities.remote,
      },
      maxConcurrentActivityTaskExecutions: 20,
      // an evaluation of a pipeline keeps its workflow task: with few slots none is left to poll for new workflows, for
      // up to a minute
      maxConcurrentWorkflowTaskExecutions: 20,
      // a workflow that waits days for an answer is replayed from a short history when it comes
      maxCachedWorkflows: 100,
    }),
  ])
}

/** On loopback compression costs more than it saves. */
export async function connectWorker(config: Config & { temporal: { address: string } }): Promise<NativeConnection> {
  const { address, api_key, tls } = await readTemporalTarget(config.temporal)
  return await NativeConnection.connect({
    address,
    ...(api_key !== undefined && { apiKey: api_key }),
    ...(tls === undefined
      ? { grpcCompression: { codec: 'none' } as const }
      : { tls: tls === true ? true : tlsOptions(tls) }),
  })
}

/** Logs messages of the Temporal SDK as warnings. A failed run is in its record, and is no fault of a worker. */
export function createEngineLog(log: Pick<Log, 'warn'>): DefaultLogger {
  return new DefaultLogger('WARN', ({ level, message, meta }) => {
    const { error } = (meta ?? {}) as { error?: { message?: unknown } }
    const isRecorded = message === 'Workflow failed' && RUN_FAILED_MESSAGE.test(String(error?.message))
    if (!isRecorded) log.warn({ sdk_level: level, ...meta }, message)
  })
}
