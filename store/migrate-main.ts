import { ConfigError, loadConfig } from '#platform/config.ts'
import { migrate } from './migrate.ts'

const EXIT_CONFIG = 78

const { databaseUrl, appPassword } = readConfig()
if (databaseUrl === undefined)
  throw new Error('DATABASE_URL is not set: it names the database to migrate, as its owner')
const options = appPassword === undefined ? {} : { app_password: appPassword }
process.stdout.write(`${JSON.stringify(await migrate(databaseUrl, options))}\n`)

function readConfig() {
  try {
    return loadConfig(process.env)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    process.stderr.write(`${error.message}\n`)
    return process.exit(EXIT_CONFIG)
  }
}
