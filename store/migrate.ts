import { Kysely, Migrator, sql } from 'kysely'
import { PostgresJSDialect } from 'kysely-postgres-js'
import { applyFunctions } from './apply-functions.ts'
import { createDb, type Db } from './db.ts'
import { makeAppRole } from './make-app-role.ts'
import { makeAskRole } from './make-ask-role.ts'
import { readMigrations } from './migrations/index.ts'
import { applyRights } from './rights/apply-rights.ts'
import { prepareOwner } from './rights/prepare-owner.ts'
import { APP_ROLE } from './rights/release-rights.ts'

export interface MigrateOptions {
  app_password?: string
}

export interface Migrated {
  /** of the least-privilege role */
  url: string
  /** what is in the way of the role of the ask agent */
  ask_problem?: string
}

/**
 * Brings the database to the newest schema, functions and rights (each under an advisory lock, so any number of starters is safe).
 * Throws RoleProblem.
 */
export async function migrate(url: string, options: MigrateOptions = {}): Promise<Migrated> {
  return await asOwner(url, async (db) => {
    await prepareOwner(db)
    await runMigrations(db)
    await applyFunctions(db, readMigrations().at(-1)?.name)
    const migrated = await makeRoles(db, url, options)
    const app = new URL(migrated.url).username === APP_ROLE
    await applyRights(db, { app, ask: migrated.ask_problem === undefined })
    return migrated
  })
}

/** Prepares an empty database for what a dump brings: the roles that it names, and that nothing in it is for everybody. */
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

async function runMigrations(db: Db): Promise<void> {
  const migrations = Object.fromEntries(
    readMigrations().map(({ name, text }) => [
      name,
      { up: async (tx: Kysely<unknown>) => void (await sql.raw(text).execute(tx)) },
    ]),
  )
  const kysely = new Kysely<unknown>({ dialect: new PostgresJSDialect({ postgres: db }) })
  const { error } = await new Migrator({
    db: kysely,
    provider: { getMigrations: async () => migrations },
  }).migrateToLatest()
  if (error) throw error
}
