import { readConfig } from '#platform/program/read-config.ts'
import { migrate } from './migrate.ts'
import { whyUnreachable } from './why-unreachable.ts'

const EXIT_UNAVAILABLE = 69

const { databaseUrl, appPassword } = readConfig()
if (databaseUrl === undefined)
  throw new Error('DATABASE_URL is not set: it names the database to migrate, as its owner')
const options = appPassword === undefined ? {} : { app_password: appPassword }
process.stdout.write(`${JSON.stringify(await migrate(databaseUrl, options).catch(explain))}\n`)

function explain(error: unknown): never {
  const code = whyUnreachable(error)
  if (code === undefined) throw error
  const { host, pathname, username } = new URL(databaseUrl ?? '')
  const where = `${host}${pathname}${username === '' ? '' : ` as ${decodeURIComponent(username)}`}`
  process.stderr.write(`The database at ${where} cannot be used (${code}). Start it, or correct DATABASE_URL.\n`)
  return process.exit(EXIT_UNAVAILABLE)
}
