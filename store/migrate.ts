import { makeAskRole } from './ask/make-ask-role.ts'
import { createDb, type Db } from './db.ts'
import { makeAppRole } from './make-app-role.ts'
import { readMigrations } from './read-sql.ts'
import { applyRights } from './rights/apply-rights.ts'
import { prepareOwner } from './rights/prepare-owner.ts'
import { APP_ROLE } from './rights/release-rights.ts'
import { applyFunctions, runMigrations } from './run-migrations.ts'
import { refuseUnreleased } from './schema-problem.ts'

export interface MigrateOptions {
  app_password?: string
}

export interface Migrated {
  /** of the least-privilege role */
  url: string
  /** why the role of the ask agent cannot be made */
  ask_problem?: string
}

/**
 * Migrates the database to the newest schema, functions and rights (each under an advisory lock, so any number of processes is safe).
 * Throws RoleProblem, SchemaProblem.
 */
export async function migrate(url: string, options: MigrateOptions = {}): Promise<Migrated> {
  return await asOwner(url, async (db) => {
    await refuseUnreleased(db)
    await prepareOwner(db)
    await runMigrations(db)
    await applyFunctions(db, readMigrations().at(-1)?.name)
    const migrated = await makeRoles(db, url, options)
    const app = new URL(migrated.url).username === APP_ROLE
    await applyRights(db, { app, ask: migrated.ask_problem === undefined })
    return migrated
  })
}

/** Prepares an empty database for a dump: creates its roles, and revokes public rights. */
export async function prepareRestore(url: string, options: MigrateOptions = {}): Promise<Migrated> {
  return await asOwner(url, async (db) => {
    await prepareOwner(db)
    return await makeRoles(db, url, options)
  })
}

async function asOwner<Result>(url: string, work: (db: Db) => Promise<Result>): Promise<Result> {
  const db = createDb(url, { max: 2, name: 'svc-migrate', reservable: true })
  try {
    return await work(db)
  } finally {
    await db.end()
  }
}

async function makeRoles(db: Db, url: string, { app_password }: MigrateOptions): Promise<Migrated> {
  const services = await makeAppRole(db, url, app_password)
  const ask_problem = await makeAskRole(db, services)
  return { url: services, ...(ask_problem !== undefined && { ask_problem }) }
}
