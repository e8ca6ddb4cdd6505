import { createHash } from 'node:crypto'
import type { Db } from './db.ts'
import { readFunctions, readMigrations } from './read-sql.ts'
import { OLDEST_RELEASE, refuseUnreleased, SchemaProblem } from './schema-problem.ts'

/** The schema and its functions never change side by side. */
const MIGRATION_LOCK = '3853314791062309107'

interface Migration {
  name: string
  text: string
}

interface Applied {
  name: string
  digest: string
}

/** Applies the migrations that are missing, each in one transaction, and any number of processes in turn. Throws SchemaProblem. */
export async function runMigrations(db: Db, files: readonly Migration[] = readMigrations()): Promise<void> {
  let missing = true
  while (missing) missing = await applyNext(db, files)
}

/** False where no migration is missing. */
async function applyNext(db: Db, files: readonly Migration[]): Promise<boolean> {
  return await db.begin(async (tx) => {
    await tx`select pg_advisory_xact_lock(${MIGRATION_LOCK}::bigint)`
    await refuseUnreleased(tx)
    await tx`
      create table if not exists schema_migrations (
        name text primary key,
        digest text not null,
        applied_at timestamptz not null default now()
      )`
    const applied = await tx<Applied[]>`select name, digest from schema_migrations order by name collate "C"`
    const next = nextMigration(files, applied)
    if (next === undefined) return false
    await tx.unsafe(next.text)
    await tx`insert into schema_migrations (name, digest) values (${next.name}, ${digestOf(next.text)})`
    return true
  })
}

function nextMigration(files: readonly Migration[], applied: readonly Applied[]): Migration | undefined {
  for (const [index, { name, digest }] of applied.entries()) {
    const file = files.find((each) => each.name === name)
    if (file === undefined)
      throw new SchemaProblem(
        `The database has the migration ${name}, which this release does not know. Next: start the newer release`,
      )
    if (digestOf(file.text) !== digest)
      throw new SchemaProblem(
        `The migration ${name} differs from the one that this database was made with. Next: take back the change of its file and put it into a new migration, or make a new database`,
      )
    if (files[index] !== file)
      throw new Error(`the migration ${files[index]?.name} comes before ${name}, which was applied already`)
  }
  return files[applied.length]
}

function digestOf(text: string): string {
  return `sha256:${createHash('sha256').update(text).digest('hex')}`
}

/**
 * Installs every function of `store/functions`, unless the installed ones have the same digest. Functions of a newer release stay.
 * `lastMigration`: the newest migration of this release.
 */
export async function applyFunctions(
  db: Db,
  lastMigration: string | undefined,
  files: readonly { name: string; text: string }[] = readFunctions(),
): Promise<void> {
  const digest = digestOf(JSON.stringify(files))
  await db.begin(async (tx) => {
    await tx`select pg_advisory_xact_lock(${MIGRATION_LOCK}::bigint)`
    const [found] = await tx<{ digest: string; last_migration: string }[]>`
      select digest, (select max(name) from schema_migrations) as last_migration from applied_functions`
    if (found?.last_migration !== lastMigration) return
    await tx`update applied_functions set oldest_release = ${OLDEST_RELEASE} where oldest_release <> ${OLDEST_RELEASE}`
    if (found?.digest === digest) return
    for (const { text } of files) await tx.unsafe(text)
    await tx`update applied_functions set digest = ${digest}, applied_at = now()`
  })
}
