import { startApiRuntime } from '#api/api-runtime.ts'
import { loadConfig } from '#platform/config.ts'
import { createLogger } from '#platform/logger.ts'
import { benchOperators } from './bench-operators.ts'

/** The API as it is deployed, with the operators of the bench. */
const config = loadConfig(process.env)
const { databaseUrl = '', temporal } = config
const api = await startApiRuntime(
  { ...config, databaseUrl, temporal: { ...temporal, address: temporal.address ?? '' } },
  createLogger({ level: config.logLevel, name: 'api' }),
  { operators: benchOperators },
)
process.on('SIGTERM', () => void api.close().then(() => process.exit(0)))
process.send?.({ url: api.url })
