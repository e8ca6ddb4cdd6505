import { Client, Connection } from '@temporalio/client'
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker'
import { loadConfig } from '#platform/config.ts'
import { createLogger } from '#platform/logger.ts'
import { startWorkerRuntime } from '#workers/worker-runtime.ts'
import { benchOperators, markStart } from './bench-operators.ts'
import type { RawActivities } from './workflows.ts'

const config = loadConfig(process.env)
const log = createLogger({ level: 'warn', name: 'bench-worker' })
const bundle_path = process.env['BENCH_BUNDLE'] ?? ''
const address = config.temporal.address ?? ''
Runtime.install({
  shutdownSignals: [],
  logger: new DefaultLogger('ERROR', ({ message, meta }) => log.warn({ ...meta }, message)),
})

const runtime = await startWorkerRuntime(
  { ...config, databaseUrl: config.databaseUrl ?? '', temporal: { ...config.temporal, address } },
  log,
  { operators: benchOperators, bundle_path },
)

const client = new Client({
  connection: await Connection.connect({ address }),
  namespace: config.temporal.namespace,
})

/** The other side: the same process, bundle and options, with activities that only do the work. */
const activities: RawActivities = {
  noop: async (payload) => ({ echo: payload }),
  mark: async (id) => markStart(id),
  launch: async (workflowId, parent) =>
    void (await client.workflow.start('rawStepsOf', { workflowId, taskQueue: 'raw', args: [parent] })),
}
const raw = await Worker.create({
  connection: await NativeConnection.connect({ address, grpcCompression: { codec: 'none' } }),
  namespace: config.temporal.namespace,
  taskQueue: 'raw',
  workflowBundle: { codePath: bundle_path },
  activities,
  maxConcurrentActivityTaskExecutions: config.lanes.realtime,
  maxConcurrentWorkflowTaskExecutions: 20,
  maxConcurrentLocalActivityExecutions: 100,
  maxCachedWorkflows: 500,
  maxHeartbeatThrottleInterval: '500ms',
  defaultHeartbeatThrottleInterval: '500ms',
  stickyQueueScheduleToStartTimeout: '2s',
})
const running = raw.run()
process.send?.({ type: 'ready' })
process.on('SIGTERM', () => {
  raw.shutdown()
  void runtime.stop()
})
await Promise.all([running, runtime.done])
process.exit(0)
