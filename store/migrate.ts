import { Kysely, Migrator, sql } from 'kysely'
import { PostgresJSDialect } from 'kysely-postgres-js'
import { applyFunctions } from './apply-functions.ts'
import { createDb, type Db } from './db.ts'
import { grantAppRole } from './grant-app-role.ts'
import { grantAskRole } from './grant-ask-role.ts'
import { readMigrations } from './migrations/index.ts'

/**
 * Brings the database to the newest schema and functions (both under an advisory lock, so any number of starters is safe) and
 * answers with the url of the least-privilege role, and with what is in the way of the role of the ask agent.
 */
export async function migrate(
  url: string,
  options: { app_password?: string } = {},
): Promise<{ url: string; ask_problem?: string }> {
  const db = createDb(url, { max: 2, name: 'svc-migrate', reservable: true })
  try {
    await runMigrations(db)
    await applyFunctions(db, readMigrations().at(-1)?.name)
    const services = await grantAppRole(db, url, options.app_password)
    const ask_problem = await grantAskRole(db, services)
    return { url: services, ...(ask_problem !== undefined && { ask_problem }) }
  } finally {
    await db.end()
  }
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
