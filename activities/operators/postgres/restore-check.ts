import { z } from 'zod'
import type { JsonObject } from '#core/json/json.ts'
import { defineOperator, type OperatorContext, OperatorError } from '#core/operator.ts'
import { connectionText } from '#core/run/shown-data.ts'
import type { BackupStore } from '#platform/backups/backup-store.ts'
import { ConnectionId, Duration } from '../field-schema.ts'
import { operatorInput } from '../operator-input.ts'
import { copyOut, copyStatement } from './backup/copy-stream.ts'
import { type BackupManifest, keptIn, readManifest, storeOf, type TableBackup } from './backup/manifest.ts'
import { type RestoreNote, readNote } from './backup/restore-target.ts'
import { rowsDigest } from './backup/rows-digest.ts'
import { inBackupSession } from './backup/session.ts'
import { manifestDigest } from './backup.ts'
import { BackupDigest, BackupName } from './restore.ts'
import { postgresOnly, type SessionQuery } from './session.ts'

const CheckInput = z.strictObject({
  connection: ConnectionId.describe('Connection to the database that was restored'),
  backup: BackupName,
  digest: BackupDigest,
  statement_timeout: Duration.exactOptional().describe('How long one table may take, default 1h'),
})
type CheckInput = z.infer<typeof CheckInput>

/** Reads a restored database, table by table, and compares it with what was backed up; and says how long all of it took. */
export function createPostgresRestoreCheck(backups: BackupStore | undefined) {
  return defineOperator<CheckInput>({
    id: 'postgres.restore_check',
    version: 1,
    title: 'Compare a restored Postgres with its backup',
    risk: 'low',
    action_type: 'read',
    capabilities: ['sql.read'],
    requires_approval: false,
    ...operatorInput(CheckInput),
    replay: () => 'safe',
    connection: ({ connection }) => connection,
    deployment: () => keptIn(backups),
    applyConnection: postgresOnly,
    describe: (input, transport) => ({
      summary: `compare ${connectionText(input.connection, transport.connection?.target)} with ${input.backup}, table by table`,
      targets: { kind: 'connection', ids: [input.connection] },
    }),
    simulate: async (ctx, input) => {
      const manifest = await readManifest(storeOf(backups), ctx, input, manifestDigest)
      return { ok: true, summary: `would compare ${manifest.tables.length} tables` }
    },
    async execute(ctx, input) {
      const manifest = await readManifest(storeOf(backups), ctx, input, manifestDigest)
      return { outputs: await check(ctx, input, manifest) }
    },
  })
}

async function check(ctx: OperatorContext, input: CheckInput, manifest: BackupManifest): Promise<JsonObject> {
  const began = ctx.now()
  return await inBackupSession(ctx, { ...input, kind: 'snapshot' }, (sql) =>
    compare(sql, manifest, () => ctx.now() - began),
  )
}

interface Compared {
  name: string
  rows: number
  expected_rows: number
  same: boolean
  found: string
}

async function compare(sql: SessionQuery, manifest: BackupManifest, elapsed: () => number): Promise<JsonObject> {
  const note = await readNote(sql)
  if (note?.backup !== manifest.id)
    throw new OperatorError(
      'backup_refused',
      `${note === undefined ? 'nothing was restored here' : `what was restored here is ${note.backup}`}: restore ${manifest.id} first`,
    )
  const tables: Compared[] = []
  for (const table of manifest.tables) tables.push(await compareTable(sql, table))
  const differences = [
    ...tables.filter(({ same }) => !same).map(({ name, found }) => `${name}: ${found}`),
    ...(await movedSequences(sql, manifest)),
  ]
  return {
    ok: differences.length === 0,
    differences: differences.slice(0, 100),
    rows: tables.reduce((sum, each) => sum + each.rows, 0),
    tables: tables.slice(0, 1_000).map((each) => ({ ...each })),
    ...times(manifest, note, elapsed()),
  }
}

async function compareTable(sql: SessionQuery, table: TableBackup): Promise<Compared> {
  const { name, rows: expected_rows } = table
  const [there] = await sql<{ there: boolean }[]>`select to_regclass(${name}) is not null as there`
  if (there?.there !== true) return { name, rows: 0, expected_rows, same: false, found: 'it is not there' }
  const digest = rowsDigest(table.columns)
  for await (const _piece of copyOut(sql, copyStatement(table, 'to stdout'), digest));
  const same = digest.rows === expected_rows && digest.digest() === table.digest
  const found = same
    ? ''
    : digest.rows === expected_rows
      ? 'other content'
      : `${digest.rows} rows instead of ${expected_rows}`
  return { name, rows: digest.rows, expected_rows, same, found }
}

async function movedSequences(sql: SessionQuery, { sequences }: BackupManifest): Promise<string[]> {
  const moved: string[] = []
  for (const { name, last_value } of sequences) {
    const [row] = await sql<
      { value: string }[]
    >`select coalesce(pg_sequence_last_value(to_regclass(${name}))::text, '') as value`
    if (row?.value !== last_value)
      moved.push(`${name}: at ${row?.value || 'its start'} instead of ${last_value || 'its start'}`)
  }
  return moved
}

/** Recovery: making it and looking whether it is right. Age: what was written since the moment of the backup is lost. */
function times(manifest: BackupManifest, note: RestoreNote, check_ms: number): JsonObject {
  const recovery_ms = note.took_ms + check_ms
  const restored = Date.parse(note.restored_at)
  const snapshot = Date.parse(manifest.snapshot_at)
  const { previous } = manifest
  return {
    restore_ms: note.took_ms,
    check_ms,
    recovery_s: seconds(recovery_ms),
    data_age_s: seconds(restored - snapshot),
    between_backups_s: previous === null ? null : seconds(snapshot - Date.parse(previous.snapshot_at)),
    snapshot_at: manifest.snapshot_at,
    restored_at: note.restored_at,
  }
}

function seconds(ms: number): number {
  return Math.round(ms / 10) / 100
}
