import type { Statements } from './db.ts'
import { readMigrations } from './read-sql.ts'

/** The rights of the database roles are wrong; the message tells the owner of the database, or an administrator of the server, what to do. */
export class RoleProblem extends Error {}

/**
 * The oldest release whose processes may run on the schema of this one, by its last migration. A release that changes what older processes
 * rely on sets it to a migration of its own; older processes have to be stopped before it migrates.
 */
export const OLDEST_RELEASE = '0001_create_schema'

/** A release is identified by its last migration. */
export const thisRelease = (): string => readMigrations().at(-1)?.name ?? ''

/** The schema of the database cannot be migrated to this release; the message tells what to do instead. */
export class SchemaProblem extends Error {}

export const MADE_BY_UNRELEASED =
  'This database was made by an unreleased build of svc, and cannot be upgraded. Next: make a new one and name it in DATABASE_URL; under npm start without DATABASE_URL, name a new directory in SVC_HOME'

/** Throws SchemaProblem where an unreleased build has migrated the database: such builds kept their migrations in a table of another name. */
export async function refuseUnreleased(db: Statements): Promise<void> {
  if (await isUnreleased(db)) throw new SchemaProblem(MADE_BY_UNRELEASED)
}

export async function isUnreleased(db: Statements): Promise<boolean> {
  const found = await db<{ name: string }[]>`
    select relname as name from pg_class
    where relnamespace = 'public'::regnamespace and relname in ('schema_migrations', 'kysely_migration', 'audit_outbox')`
  const names = found.map(({ name }) => name)
  return !names.includes('schema_migrations') && names.includes('kysely_migration') && names.includes('audit_outbox')
}
