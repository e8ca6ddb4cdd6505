import type { Readiness } from '#core/readiness.ts'
import { createDb, type Db, whyUnreachable } from './db.ts'
import { describeDifferences, findDifferences } from './rights/apply-rights.ts'
import { APP_ROLE } from './rights/release-rights.ts'
import { isUnreleased, MADE_BY_UNRELEASED, thisRelease } from './schema-problem.ts'

const MIGRATE =
  'migrate as the owner of the database: DATABASE_URL=… node platform/program/run.mjs store/migrate-main.ts'

interface Found {
  me: string
  migrated: boolean
  migrating: boolean
  max_connections: number
  /** connections that the server has left */
  free: number
}

interface Asked {
  place: string
  release: string
  connections: number
}

/**
 * Tells whether a process of this release may run on that database: its schema, the releases that it is for, and its rights. `connections`:
 * the most that this process opens.
 */
export async function schemaReadiness(
  url: string,
  { connections, release = thisRelease() }: { connections: number; release?: string },
): Promise<Readiness> {
  const db = createDb(url, { max: 1, name: 'svc-start' })
  try {
    return await judge(db, { place: placeOf(url), release, connections })
  } catch (error) {
    const code = whyUnreachable(error)
    if (code === undefined) throw error
    const text = `The database at ${placeOf(url)} cannot be used (${code})`
    // waiting does not help against a refused login or a missing database
    return /^(28|3D)/.test(code)
      ? { ready: false, refuse: `${text}. Next: correct DATABASE_URL, or ${MIGRATE}` }
      : { ready: false, wait: text }
  } finally {
    await db.end({ timeout: 1 })
  }
}

async function judge(db: Db, { place, release, connections }: Asked): Promise<Readiness> {
  const [found] = await db<Found[]>`
    select current_user as me,
      (select count(*) = 2 from pg_class where relnamespace = 'public'::regnamespace and relname in ('schema_migrations', 'applied_functions')) as migrated,
      exists (select from pg_stat_activity where datname = current_database() and application_name = 'svc-migrate') as migrating,
      current_setting('max_connections')::integer as max_connections,
      current_setting('max_connections')::integer - current_setting('superuser_reserved_connections')::integer
        - (select sum(numbackends)::integer from pg_stat_database) as free`
  if (found === undefined) throw new Error('the database answers nothing')
  const not = (problem: string): Readiness =>
    found.migrating
      ? { ready: false, wait: `${problem}; a migration is under way` }
      : { ready: false, refuse: `${problem}. Next: ${MIGRATE}` }
  if (await isUnreleased(db)) return { ready: false, refuse: MADE_BY_UNRELEASED }
  if (!found.migrated) return not(`The database at ${place} has no schema yet, and this release needs ${release}`)
  const complete = { app: found.me === APP_ROLE, ask: false }
  const newest = await readNewest(db)
  if (newest === undefined) return not(describeDifferences(await findDifferences(db, complete)))
  if (newest < release)
    return not(`The schema at ${place} is at ${newest || 'nothing'}, and this release needs ${release}`)
  if (newest > release) {
    const oldest = await readOldestRelease(db)
    if (release < oldest)
      return {
        ready: false,
        refuse: `The schema at ${place} is at ${newest}, which is for releases from ${oldest} on, and this one is ${release}. Next: start the newer release`,
      }
    const note = `the schema is at ${newest}, newer than this release (${release}), which it is still for: upgrade this process`
    return { ready: true, note }
  }
  const differences = await findDifferences(db, complete)
  if (differences.length > 0) return not(describeDifferences(differences))
  if (found.free >= connections) return { ready: true }
  const note = `this process opens up to ${connections} connections, and the server at ${place} has ${found.free} left: raise max_connections (${found.max_connections}), as docs/operations.md says`
  return { ready: true, note }
}

/** Returns the last migration, once the functions are installed too, and empty before; undefined where this role may not read it. */
async function readNewest(db: Db): Promise<string | undefined> {
  try {
    const [row] = await db<{ newest: string | null }[]>`
      select max(name) as newest from schema_migrations where exists (select from applied_functions where digest <> '')`
    return row?.newest ?? ''
  } catch (error) {
    // without USAGE the schema is not searched
    if (error instanceof Error && 'code' in error && ['42501', '42P01'].includes(String(error.code))) return undefined
    throw error
  }
}

/** Returns the oldest release whose processes may run on this schema; empty where none is named. */
export async function readOldestRelease(db: Db): Promise<string> {
  const [row] = await db<{ oldest: string }[]>`select oldest_release as oldest from applied_functions`
  return row?.oldest ?? ''
}

function placeOf(url: string): string {
  const { host, pathname } = new URL(url)
  return `${host}${pathname}`
}
