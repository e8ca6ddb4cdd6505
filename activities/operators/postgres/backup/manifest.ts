import { z } from 'zod'
import type { JsonObject } from '#core/json/json.ts'
import { type OperatorContext, OperatorError } from '#core/operator.ts'
import type { BackupStore } from '#platform/backups/backup-store.ts'
import { required } from '../../required.ts'

const Text = z.string()
const TableBackup = z.strictObject({
  /** quoted, with its schema */
  name: Text,
  /** quoted; without those that are computed from others */
  columns: z.array(Text),
  file: Text,
  rows: z.number(),
  bytes: z.number(),
  digest: Text,
})
export type TableBackup = z.infer<typeof TableBackup>

const SequenceBackup = z.strictObject({ name: Text, last_value: Text })
export type SequenceBackup = z.infer<typeof SequenceBackup>

/** Which database it is: the server by the number that it was made with, and the database in it. */
export const DatabaseIdentity = z.strictObject({ system: Text, oid: Text, database: Text, version: Text })
export type DatabaseIdentity = z.infer<typeof DatabaseIdentity>

export const BackupManifest = z.strictObject({
  v: z.literal(1),
  id: Text,
  connection: Text,
  source: DatabaseIdentity,
  /** the moment of which all of it is true */
  snapshot_at: Text,
  /** of the backup of this connection before it */
  previous: z.strictObject({ id: Text, snapshot_at: Text }).nullable(),
  /** statements that make what holds the rows, then what is made once they are there */
  before: z.array(Text),
  after: z.array(Text),
  tables: z.array(TableBackup),
  sequences: z.array(SequenceBackup),
  left_out: z.array(z.strictObject({ kind: Text, name: Text })),
})
export type BackupManifest = z.infer<typeof BackupManifest>

/** Where backups are, for the approver of a step that writes or reads one. */
export function keptIn(store: BackupStore | undefined): JsonObject {
  return { backups: store?.directory ?? null }
}

/** The store, or what to do where there is none. */
export function storeOf(store: BackupStore | undefined): BackupStore {
  return required(store, 'this worker keeps no backups: SVC_BACKUPS_DIR names no directory')
}

/** The manifest of a backup of the run's workspace. Throws where there is none, or where it is not the one that was made. */
export async function readManifest(
  store: BackupStore,
  ctx: Pick<OperatorContext, 'workspace_id'>,
  wanted: { backup: string; digest: string },
  digestOf: (text: string) => string,
): Promise<BackupManifest> {
  const text = await store.manifest({ workspace_id: ctx.workspace_id, id: wanted.backup })
  if (text === undefined) throw new OperatorError('not_found', `there is no backup ${wanted.backup} in this workspace`)
  if (digestOf(text) !== wanted.digest)
    throw new OperatorError('backup_damaged', `the manifest of ${wanted.backup} is not the one that was written`)
  return BackupManifest.parse(JSON.parse(text))
}
