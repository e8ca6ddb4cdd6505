import { OperatorError } from '#core/operator.ts'
import type { SessionQuery } from '../session.ts'
import { foundObjects, identityOf, type NamedObject } from './catalogue.ts'
import type { DatabaseIdentity } from './manifest.ts'

const SHOWN = 5

export interface RestoreNote {
  backup: string
  /** of the step that restored */
  key: string
  took_ms: number
  restored_at: string
  /** what it made, by object id */
  made: string[]
}

/** What an earlier restore noted here; undefined where none did. */
export async function readNote(sql: SessionQuery): Promise<RestoreNote | undefined> {
  const [there] = await sql<{ there: boolean }[]>`select to_regclass('svc_restore.note') is not null as there`
  if (there?.there !== true) return undefined
  const [note] = await sql<
    RestoreNote[]
  >`select backup, key, took_ms::float8 as took_ms, restored_at, made from svc_restore.note`
  return note
}

/** Throws where a restore must not go: into the source itself, or beside anything that is there. */
export async function refuseTarget(sql: SessionQuery, source: DatabaseIdentity): Promise<void> {
  const target = await identityOf(sql)
  if (target.system === source.system && target.oid === source.oid)
    throw new OperatorError(
      'backup_refused',
      `${target.database} is the database that the backup is of: name another one to restore into`,
    )
  const found = await foundObjects(sql)
  if (found.length > 0)
    throw new OperatorError(
      'backup_refused',
      `${target.database} is not empty: ${named(found)}; a restore goes into an empty database`,
    )
}

export function named(found: NamedObject[]): string {
  const names = found.slice(0, SHOWN).map(({ kind, name }) => `${kind} ${name}`)
  return `${names.join(', ')}${found.length > SHOWN ? ` and ${found.length - SHOWN} more` : ''}`
}
