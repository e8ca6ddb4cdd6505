import { z } from 'zod'
import type { JsonObject } from '#core/json/json.ts'
import { defineOperator, type OperatorContext, OperatorError } from '#core/operator.ts'
import { connectionText } from '#core/run/shown-data.ts'
import type { BackupStore } from '#platform/backups/backup-store.ts'
import { ConnectionId, Duration } from '../field-schema.ts'
import { operatorInput } from '../operator-input.ts'
import { foundObjects } from './backup/catalogue.ts'
import { copyIn, copyStatement } from './backup/copy-stream.ts'
import { type BackupManifest, keptIn, readManifest, storeOf, type TableBackup } from './backup/manifest.ts'
import { readNote, refuseTarget } from './backup/restore-target.ts'
import { rowsDigest } from './backup/rows-digest.ts'
import { inBackupSession, keep, runWritten } from './backup/session.ts'
import { manifestDigest } from './backup.ts'
import { postgresOnly, type Session, type SessionQuery } from './session.ts'

export const BackupName = z
  .string()
  .regex(/^run_[0-9a-z]{1,26}\.[A-Za-z_][A-Za-z0-9_]{0,63}$/, 'the id of a backup, as postgres.backup gives it')
  .describe('Id of the backup')
export const BackupDigest = z
  .string()
  .regex(/^sha256:[0-9a-f]{64}$/, 'sha256: and 64 hexadecimal digits')
  .describe('Digest of the backup, as postgres.backup gave it: another one of that name is refused')

const RestoreInput = z.strictObject({
  connection: ConnectionId.describe('Connection to an empty database'),
  backup: BackupName,
  digest: BackupDigest,
  statement_timeout: Duration.exactOptional().describe('How long one table or index may take, default 1h'),
})
type RestoreInput = z.infer<typeof RestoreInput>

/** Makes a database of a backup, in one transaction, where there is nothing yet. */
export function createPostgresRestore(backups: BackupStore | undefined) {
  return defineOperator<RestoreInput>({
    id: 'postgres.restore',
    version: 1,
    title: 'Restore Postgres into an empty database',
    risk: 'medium',
    action_type: 'backup.restore',
    capabilities: ['backup.restore'],
    requires_approval: false,
    ...operatorInput(RestoreInput),
    // all of it is one transaction, and a note in the database says that it was made
    replay: () => 'safe',
    connection: ({ connection }) => connection,
    deployment: () => keptIn(backups),
    applyConnection: postgresOnly,
    describe: (input, transport) => ({
      summary: `restore ${input.backup} into ${connectionText(input.connection, transport.connection?.target)}, which has to be empty and another database than the backup is of`,
      targets: { kind: 'connection', ids: [input.connection] },
    }),
    async simulate(ctx, input) {
      const manifest = await readManifest(storeOf(backups), ctx, input, manifestDigest)
      const refusal = await inBackupSession(ctx, { ...input, kind: 'snapshot' }, (sql) =>
        refuseTarget(sql, manifest.source),
      ).then(
        () => undefined,
        (error: unknown) =>
          error instanceof OperatorError && error.code === 'backup_refused' ? error.message : Promise.reject(error),
      )
      if (refusal !== undefined) return { ok: false, summary: refusal }
      return { ok: true, summary: `would restore ${manifest.tables.length} tables of ${manifest.snapshot_at}` }
    },
    async execute(ctx, input) {
      const store = storeOf(backups)
      const began = ctx.now()
      const manifest = await readManifest(store, ctx, input, manifestDigest)
      return {
        outputs: await inBackupSession(ctx, { ...input, kind: 'writing' }, (_sql, session) =>
          restore(ctx, session, { store, manifest, began }),
        ),
      }
    },
  })
}

interface Restoring {
  store: BackupStore
  manifest: BackupManifest
  began: number
}

async function restore(ctx: OperatorContext, session: Session, restoring: Restoring): Promise<JsonObject> {
  const { manifest, began } = restoring
  const sql = session.sql()
  const noted = await readNote(sql)
  if (noted?.key === ctx.idempotency_key && noted.backup === manifest.id) return outputsOf(manifest, noted)
  await refuseTarget(sql, manifest.source)
  await ctx.beforeSending()
  await makeNote(sql)
  for (const statement of manifest.before) await runWritten(sql, statement)
  for (const table of manifest.tables) await fill(ctx, sql, restoring, table)
  for (const { name, last_value } of manifest.sequences)
    if (last_value !== '') await sql`select setval(${name}::regclass, ${last_value}::int8)`
  for (const statement of manifest.after) await runWritten(sql, statement)
  const made = (await foundObjects(sql)).map(({ oid }) => oid)
  const took_ms = ctx.now() - began
  const [note] = await sql<{ restored_at: string }[]>`
    insert into svc_restore.note (backup, key, took_ms, restored_at, made) values (${manifest.id}, ${ctx.idempotency_key}, ${took_ms}, clock_timestamp(), ${made}) returning restored_at`
  await keep(ctx, session)
  return outputsOf(manifest, { took_ms, restored_at: note?.restored_at ?? '' })
}

async function makeNote(sql: SessionQuery): Promise<void> {
  await sql`create schema svc_restore`
  await sql`create table svc_restore.note (backup text not null, key text not null, took_ms float8 not null, restored_at timestamptz not null, made text[] not null)`
}

/** What is read is compared with what was written before any of it counts. */
async function fill(
  ctx: OperatorContext,
  sql: SessionQuery,
  { store, manifest }: Restoring,
  table: TableBackup,
): Promise<void> {
  const place = { workspace_id: ctx.workspace_id, id: manifest.id }
  const digest = rowsDigest(table.columns)
  const rows = readRows(store.read(place, table.file), digest, table)
  await copyIn(sql, copyStatement(table, 'from stdin'), rows)
  if (digest.rows !== table.rows || digest.digest() !== table.digest)
    throw new OperatorError(
      'backup_damaged',
      `${table.name} in ${manifest.id}: ${digest.rows} rows were read, and they are not the ${table.rows} that were written; nothing was restored`,
    )
}

async function* readRows(
  pieces: AsyncIterable<Uint8Array>,
  digest: ReturnType<typeof rowsDigest>,
  table: TableBackup,
): AsyncIterable<Uint8Array> {
  try {
    for await (const piece of pieces) {
      digest.add(piece)
      yield piece
    }
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new OperatorError(
      'backup_damaged',
      `the file of ${table.name} cannot be read: ${why}; nothing was restored`,
      { cause: error },
    )
  }
}

function outputsOf(
  manifest: BackupManifest,
  { took_ms, restored_at }: { took_ms: number; restored_at: string },
): JsonObject {
  return {
    backup: manifest.id,
    tables: manifest.tables.length,
    rows: manifest.tables.reduce((sum, each) => sum + each.rows, 0),
    took_ms,
    restored_at,
    snapshot_at: manifest.snapshot_at,
  }
}
