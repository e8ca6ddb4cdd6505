import { readConfig } from '#platform/program/program-args.ts'
import { whyUnreachable } from './db.ts'
import { migrate, prepareRestore } from './migrate.ts'
import { RoleProblem, SchemaProblem } from './schema-problem.ts'

const EXIT_UNAVAILABLE = 69
const EXIT_NOT_ALLOWED = 77

const { databaseUrl, appPassword } = readConfig()
if (databaseUrl === undefined)
  throw new Error('DATABASE_URL is not set: it names the database to migrate, as its owner')
const options = appPassword === undefined ? {} : { app_password: appPassword }
// before a dump is restored, which needs its roles to exist
const onlyRoles = process.argv.includes('--roles')
const { url, ask_problem } = await (onlyRoles ? prepareRestore : migrate)(databaseUrl, options).catch(explain)
if (ask_problem !== undefined)
  process.stderr.write(`The ask agent has no role of its own, and answers nothing: ${ask_problem}.\n`)
// starting the services needs the url with its password; a log does not
process.stdout.write(`${process.argv.includes('--print-url') ? JSON.stringify({ url }) : doneText(url)}\n`)

function doneText(url: string): string {
  if (onlyRoles) return 'The database is ready for a dump: restore it, then migrate.'
  if (new URL(url).username !== new URL(databaseUrl ?? '').username)
    return `The schema is the newest. The services connect to ${placeOf(url)}, with SVC_APP_PASSWORD where it is set.`
  return `The schema is the newest. The services connect to ${placeOf(url)}, its owner, who may change the record: set SVC_APP_PASSWORD, and let the owner create roles (CREATEROLE) or create svc_app yourself.`
}

function explain(error: unknown): never {
  if (error instanceof RoleProblem || error instanceof SchemaProblem) {
    process.stderr.write(`${error.message}.\n`)
    return process.exit(EXIT_NOT_ALLOWED)
  }
  const code = whyUnreachable(error)
  if (code === undefined) throw error
  process.stderr.write(
    `The database at ${placeOf(databaseUrl ?? '')} cannot be used (${code}). Start it, or correct DATABASE_URL.\n`,
  )
  return process.exit(EXIT_UNAVAILABLE)
}

function placeOf(url: string): string {
  const { host, pathname, username } = new URL(url)
  return `${host}${pathname}${username === '' ? '' : ` as ${decodeURIComponent(username)}`}`
}
