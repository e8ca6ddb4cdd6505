import { awaitSettings } from '#platform/embedded/await-settings.ts'
import { createLogger } from '#platform/logger.ts'
import { StartRefused } from '#platform/program/await-readiness.ts'
import { EXIT_CONFIG, killAt, readConfig } from '#platform/program/program-args.ts'
import { unknownSettingText } from '#platform/unknown-settings.ts'
import { startApiRuntime } from './api-runtime.ts'

await awaitSettings()
const config = readConfig()
const log = createLogger({ level: config.logLevel, name: 'api' })
for (const each of config.unknown) log.warn({}, unknownSettingText(each))
const { databaseUrl, temporal } = config
const { address } = temporal
if (databaseUrl === undefined || address === undefined) {
  log.fatal({}, 'the API on its own needs DATABASE_URL and TEMPORAL_ADDRESS; `npm start` brings both')
  process.exit(EXIT_CONFIG)
}

const api = await startApiRuntime({ ...config, databaseUrl, temporal: { ...temporal, address } }, log, {
  env: process.env,
  fault: killAt(config.killPoint),
  onOutdated: () => stop('too old for the schema', EXIT_CONFIG),
}).catch((error: unknown) => {
  const refused = error instanceof StartRefused
  log.fatal(refused ? {} : { err: error }, error instanceof Error ? error.message : String(error))
  process.exit(refused ? EXIT_CONFIG : 1)
})

let stopping = false
const stop = (why: string, code = 0) => {
  if (stopping) return
  stopping = true
  log.info({ why }, 'API is draining')
  api.close().then(
    () => process.exit(code),
    (error: unknown) => {
      log.error({ err: error }, 'the drain failed')
      process.exit(1)
    },
  )
}
process.on('SIGTERM', () => stop('SIGTERM'))
process.on('SIGINT', () => stop('SIGINT'))
process.on('disconnect', () => stop('the supervisor has exited'))

log.info({ url: api.url }, 'API is ready')
process.send?.({ type: 'ready', url: api.url })
