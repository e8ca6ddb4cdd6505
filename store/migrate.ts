import { createHmac } from 'node:crypto'
import { Kysely, Migrator, sql } from 'kysely'
import { PostgresJSDialect } from 'kysely-postgres-js'
import { applyFunctions } from './apply-functions.ts'
import { createDb, type Db } from './db.ts'
import { readMigrations } from './migrations/index.ts'

/** The role that the running services use: it can read and write rows, never change the schema. */
const APP_ROLE = 'svc_app'

/**
 * Brings the database to the newest schema and functions (both under an advisory lock, so any number of starters is safe) and
 * answers with the url of the least-privilege role.
 */
export async function migrate(url: string, options: { app_password?: string } = {}): Promise<{ url: string }> {
  const db = createDb(url, { max: 2, name: 'svc-migrate', reservable: true })
  try {
    await runMigrations(db)
    await applyFunctions(db, readMigrations().at(-1)?.name)
    return { url: await undisturbed(() => grantAppRole(db, url, options.app_password)) }
  } finally {
    await db.end()
  }
}

/** Altered by two at once (XX000), created by two at once (23505, 42710). */
function isMeeting(error: unknown): boolean {
  return error instanceof Error && 'code' in error && ['XX000', '23505', '42710'].includes(String(error.code))
}

/** Roles belong to the server, but its locks to one database: starters of two databases can meet at the role. */
async function undisturbed<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work()
    } catch (error) {
      if (attempt === 10 || !isMeeting(error)) throw error
    }
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

/** Unless it is given, the password follows from the owner's, so every starter of a deployment arrives at the same one. */
async function grantAppRole(db: Db, url: string, given: string | undefined): Promise<string> {
  const owner = new URL(url)
  const [role] = await db<{ may_create: boolean; known: boolean }[]>`
    select (rolsuper or rolcreaterole) as may_create, exists (select from pg_roles where rolname = ${APP_ROLE}) as known
    from pg_roles where rolname = current_user`
  if (!role?.may_create || (given === undefined && owner.password === '')) return url
  const password =
    given ?? createHmac('sha256', decodeURIComponent(owner.password)).update(APP_ROLE).digest('base64url')
  await db.begin(async (tx) => {
    await tx`select pg_advisory_xact_lock(hashtext('svc:app-role'))`
    const [{ known } = { known: false }] = await tx<{ known: boolean }[]>`
      select exists (select from pg_roles where rolname = ${APP_ROLE}) as known`
    await tx.unsafe(
      `${known ? 'alter' : 'create'} role ${APP_ROLE} login nosuperuser nocreatedb nocreaterole password '${password.replaceAll("'", "''")}'`,
    )
    await tx.unsafe(`
      grant usage on schema public to ${APP_ROLE};
      grant select, insert, update on all tables in schema public to ${APP_ROLE};
      grant usage on all sequences in schema public to ${APP_ROLE};
      grant execute on all functions in schema public to ${APP_ROLE};
      revoke update on run_events, gate_decisions, ledger_entries, artifact_bodies, plans, run_secrets from ${APP_ROLE};
      revoke insert, update on applied_functions from ${APP_ROLE};
      grant delete on start_outbox, idempotency_keys, worker_heartbeats, console_policies, console_documents, bus_outbox, bus_messages, bus_dead_letters, inbox_items, skill_firings, schedule_firings, ingress_deliveries, refusals to ${APP_ROLE};`)
  })
  owner.username = APP_ROLE
  owner.password = password
  return owner.toString()
}
