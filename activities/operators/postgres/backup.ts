import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { JsonObject } from '#core/json/json.ts'
import { defineOperator, type OperatorContext, OperatorError, type OperatorResult } from '#core/operator.ts'
import { connectionText } from '#core/run/shown-data.ts'
import type { BackupDraft, BackupStore } from '#platform/backups/backup-store.ts'
import { ConnectionId, Duration } from '../field-schema.ts'
import { operatorInput } from '../operator-input.ts'
import { identityOf, KINDS, uncoveredObjects } from './backup/catalogue.ts'
import { copyOut, copyStatement } from './backup/copy-stream.ts'
import { type Definitions, readDefinitions } from './backup/definitions.ts'
import { BackupManifest, keptIn, storeOf, type TableBackup } from './backup/manifest.ts'
import { rowsDigest } from './backup/rows-digest.ts'
import { inBackupSession, runWritten } from './backup/session.ts'
import { postgresOnly, type SessionQuery } from './session.ts'

const NAMED = 10
const MB = 1024 * 1024

const BackupInput = z.strictObject({
  connection: ConnectionId,
  leave_out: z
    .array(z.enum(KINDS))
    .max(KINDS.length)
    .exactOptional()
    .describe('What may be missing in the backup, by kind; anything else that it cannot hold is refused'),
  keep: z.int().min(1).max(1_000).exactOptional().describe('How many backups of this connection to keep, default 7'),
  max_mb: z.int().min(1).max(1_048_576).exactOptional().describe('Largest database that is taken, default 10240'),
  statement_timeout: Duration.exactOptional().describe('How long one table may take, default 1h'),
  lock_timeout: Duration.exactOptional().describe('How long to queue for a table that is being changed; default 5s'),
})
type BackupInput = z.infer<typeof BackupInput>

/** Copies every plain table of a database into the directory of the backups, all as of one moment. */
export function createPostgresBackup(backups: BackupStore | undefined) {
  return defineOperator<BackupInput>({
    id: 'postgres.backup',
    version: 1,
    title: 'Back up Postgres',
    risk: 'medium',
    action_type: 'backup.create',
    capabilities: ['sql.read', 'backup.write'],
    requires_approval: false,
    ...operatorInput(BackupInput),
    // a retry writes the same backup again
    replay: () => 'safe',
    connection: ({ connection }) => connection,
    deployment: () => keptIn(backups),
    applyConnection: postgresOnly,
    describe: (input, transport) => ({
      summary: `copy every table of ${connectionText(input.connection, transport.connection?.target)} into the directory of the backups as ${backupId(transport.idempotency_key)}, and keep the newest ${input.keep ?? 7} of this connection${missing(input)}`,
      targets: { kind: 'backup', ids: [backupId(transport.idempotency_key)] },
    }),
    simulate: async (ctx, input) => {
      storeOf(backups)
      const { tables, mb } = await inSnapshot(ctx, input, async (sql) => inspect(sql, input))
      return {
        ok: true,
        summary: `would copy ${tables.length} tables, about ${mb} MB`,
        details: { tables: tables.map(({ name }) => name), mb },
      }
    },
    execute: async (ctx, input) => inSnapshot(ctx, input, (sql) => backUp(ctx, sql, storeOf(backups), input)),
  })
}

function missing({ leave_out = [] }: BackupInput): string {
  return leave_out.length === 0 ? '' : `; what it cannot hold may be missing: ${leave_out.join(', ')}`
}

/** The same for every attempt of a step. */
function backupId(idempotencyKey: string): string {
  return idempotencyKey.replaceAll(':', '.')
}

const inSnapshot = <T>(ctx: OperatorContext, input: BackupInput, work: (sql: SessionQuery) => Promise<T>) =>
  inBackupSession(ctx, { ...input, kind: 'snapshot' }, work)

/** Refuses before anything is written: what it cannot hold, what the role may not read, what is too large. */
async function inspect(sql: SessionQuery, input: BackupInput) {
  const [{ snapshot_at = '', mb = 0 } = {}] = await sql<{ snapshot_at: string; mb: number }[]>`
    select now() as snapshot_at, round(pg_database_size(current_database()) / 1048576.0)::float8 as mb`
  const uncovered = await uncoveredObjects(sql)
  refuse(
    'what a backup does not hold, and leave_out does not name',
    uncovered
      .filter(({ kind }) => !input.leave_out?.some((each) => each === kind))
      .map(({ kind, name }) => `${name} (${kind})`),
  )
  const definitions = await readDefinitions(sql)
  const { tables, sequences } = definitions
  refuse(
    'the role may not read',
    [...tables, ...sequences].filter(({ may_read }) => !may_read).map(({ name }) => name),
  )
  const largest = input.max_mb ?? 10_240
  if (mb > largest) throw new OperatorError('backup_refused', `the database is ${mb} MB, and max_mb is ${largest}`)
  return { ...definitions, snapshot_at, mb, uncovered }
}

function refuse(why: string, names: string[]): void {
  if (names.length === 0) return
  const more = names.length > NAMED ? ` and ${names.length - NAMED} more` : ''
  throw new OperatorError('backup_refused', `${why}: ${names.slice(0, NAMED).join(', ')}${more}`, {
    details: { names: names.slice(0, 100) },
  })
}

async function backUp(
  ctx: OperatorContext,
  sql: SessionQuery,
  store: BackupStore,
  input: BackupInput,
): Promise<OperatorResult> {
  const began = ctx.now()
  const found = await inspect(sql, input)
  // nothing is changed or removed until all of it is copied
  if (found.tables.length > 0)
    await runWritten(
      sql,
      `lock table ${found.tables.map(({ name }) => `only ${name}`).join(', ')} in access share mode`,
    )
  const place = { workspace_id: ctx.workspace_id, id: backupId(ctx.idempotency_key) }
  const before = await earlier(store, place, input.connection)
  await ctx.beforeSending()
  const draft = await store.begin(place)
  try {
    const tables = await copyTables(sql, draft, found)
    const manifest: BackupManifest = BackupManifest.parse({
      v: 1,
      id: place.id,
      connection: input.connection,
      source: await identityOf(sql),
      snapshot_at: found.snapshot_at,
      previous: before[0] ?? null,
      before: found.before,
      after: found.after,
      tables,
      sequences: found.sequences.map(({ name, last_value }) => ({ name, last_value })),
      left_out: found.uncovered,
    })
    const text = JSON.stringify(manifest, null, 1)
    ctx.signal.throwIfAborted()
    await draft.finish(text)
    const removed = before.slice((input.keep ?? 7) - 1)
    for (const { id } of removed) await store.remove({ ...place, id })
    return {
      outputs: {
        ...outputsOf(manifest),
        digest: manifestDigest(text),
        removed: removed.map(({ id }) => id),
        took_ms: ctx.now() - began,
      },
    }
  } catch (error) {
    await draft.abandon()
    throw error
  }
}

async function copyTables(
  sql: SessionQuery,
  draft: BackupDraft,
  { tables }: Pick<Definitions, 'tables'>,
): Promise<TableBackup[]> {
  const copied: TableBackup[] = []
  for (const [index, { name, columns }] of tables.entries()) {
    const file = `${String(index + 1).padStart(5, '0')}.copy.gz`
    const digest = rowsDigest(columns)
    await draft.write(file, copyOut(sql, copyStatement({ name, columns }, 'to stdout'), digest))
    copied.push({ name, columns, file, rows: digest.rows, bytes: digest.bytes, digest: digest.digest() })
  }
  return copied
}

/** Complete backups of this connection but this one, newest first. */
async function earlier(store: BackupStore, place: { workspace_id: string; id: string }, connection: string) {
  const known: { id: string; snapshot_at: string }[] = []
  for (const id of await store.list(place.workspace_id)) {
    const text = id === place.id ? undefined : await store.manifest({ ...place, id })
    const read = text === undefined ? undefined : BackupManifest.safeParse(parsed(text))
    if (read?.success && read.data.connection === connection) known.push({ id, snapshot_at: read.data.snapshot_at })
  }
  return known.sort((left, right) => Date.parse(right.snapshot_at) - Date.parse(left.snapshot_at))
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export function manifestDigest(text: string): string {
  return `sha256:${createHash('sha256').update(text).digest('hex')}`
}

function outputsOf({ id, snapshot_at, previous, tables, source, left_out }: BackupManifest): JsonObject {
  const bytes = tables.reduce((sum, each) => sum + each.bytes, 0)
  return {
    backup: id,
    snapshot_at,
    previous_at: previous?.snapshot_at ?? '',
    database: source.database,
    version: source.version,
    tables: tables.slice(0, 1_000).map(({ name, rows, bytes, digest }) => ({ name, rows, bytes, digest })),
    table_count: tables.length,
    rows: tables.reduce((sum, each) => sum + each.rows, 0),
    bytes,
    mb: Math.round((bytes / MB) * 10) / 10,
    left_out: left_out.slice(0, 100).map(({ kind, name }) => `${name} (${kind})`),
  }
}
