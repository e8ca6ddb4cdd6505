import { Runtime } from '@temporalio/worker'
import { awaitSettings } from '#platform/embedded/await-settings.ts'
import { createLogger } from '#platform/logger.ts'
import { StartRefused } from '#platform/program/await-readiness.ts'
import { EXIT_CONFIG, killAt, readConfig } from '#platform/program/program-args.ts'
import { createEngineLog } from './create-workers.ts'
import { startWorkerRuntime } from './worker-runtime.ts'

await awaitSettings()
const config = readConfig()
const log = createLogger({ level: config.logLevel, name: 'worker' })
const { databaseUrl, temporal } = config
if (databaseUrl === undefined || temporal.address === undefined) {
  log.fatal({}, 'a worker on its own needs DATABASE_URL and TEMPORAL_ADDRESS; `npm start` brings both')
  process.exit(EXIT_CONFIG)
}
// the SDK would otherwise take the signals and race the ordered shutdown
Runtime.install({
  shutdownSignals: [],
  ...(config.workerMetricsPort !== undefined && {
    telemetryOptions: { metrics: { prometheus: { bindAddress: `127.0.0.1:${config.workerMetricsPort}` } } },
  }),
  logger: createEngineLog(log),
})

let stopping: string | undefined
let exitCode = 0
const starting = new AbortController()
let stopRuntime: () => void = () => starting.abort()
const stop = (why: string) => {
  if (stopping !== undefined) return
  stopping = why
  log.info({ why }, 'worker is draining')
  stopRuntime()
}
process.on('SIGTERM', () => stop('SIGTERM'))
process.on('SIGINT', () => stop('SIGINT'))
process.on('disconnect', () => stop('the supervisor has exited'))

const runtime = await startWorkerRuntime(
  { ...config, databaseUrl, temporal: { ...temporal, address: temporal.address } },
  log,
  {
    env: process.env,
    fault: killAt(config.killPoint),
    signal: starting.signal,
    onOutdated: () => {
      exitCode = EXIT_CONFIG
      stop('too old for the schema')
    },
  },
).catch((error: unknown) => {
  if (starting.signal.aborted) process.exit(0)
  const refused = error instanceof StartRefused
  log.fatal(refused ? {} : { err: error }, error instanceof Error ? error.message : String(error))
  process.exit(refused ? EXIT_CONFIG : 1)
})
log.info({ lanes: config.lanes }, 'worker is ready')
process.send?.({ type: 'ready' })

// a stop during the start is served now
stopRuntime = () => void runtime.stop()
if (stopping !== undefined) stopRuntime()

try {
  await runtime.done
  process.exit(exitCode)
} catch (error) {
  log.fatal({ err: error }, 'a worker died')
  process.exit(1)
}
