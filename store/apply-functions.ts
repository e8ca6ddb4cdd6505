import { createHash } from 'node:crypto'
import type { Db } from './db.ts'
import { readFunctions } from './read-sql.ts'
import { MIGRATION_LOCK } from './run-migrations.ts'
import { OLDEST_RELEASE } from './schema-problem.ts'

/**
 * Installs every function of `store/functions`, unless the installed ones have the same digest. Functions of a newer release stay.
 * `lastMigration`: the newest migration of this release.
 */
export async function applyFunctions(
  db: Db,
  lastMigration: string | undefined,
  files: readonly { name: string; text: string }[] = readFunctions(),
): Promise<void> {
  const digest = `sha256:${createHash('sha256').update(JSON.stringify(files)).digest('hex')}`
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
