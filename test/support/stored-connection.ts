import type { AuditDraft } from '#core/audit/types.ts'
import { addressOf } from '#core/connection/kind-schema.ts'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import { type ConnectionBox, createConnectionBox } from '#platform/connection-box.ts'
import { type ConnectionDraft, type ConnectionRow, createConnectionStore } from '#store/connections/connections.ts'
import type { TestDatabase } from './database.ts'
import { ids } from './run-drafts.ts'

export function boxOf(...keys: string[]): ConnectionBox {
  const box = createConnectionBox(keys)
  if (box === undefined) throw new Error('a ring without keys')
  return box
}

export const connectionAudit = (action: string, id: string): AuditDraft => ({
  ...{ id: ids.next('audit'), ts: '2026-01-05T09:30:00.000Z', category: 'config', action },
  ...{ workspace_id: DEFAULT_WORKSPACE_ID, actor: { type: 'user', id: 'usr_ann', auth: 'jwt' }, data: {} },
  subject: { type: 'connection', id },
})

/** A connection of the console, with its secret sealed by a key. */
export async function storeConnection(
  { db }: Pick<TestDatabase, 'db'>,
  draft: Pick<ConnectionDraft, 'kind' | 'auth' | 'config'> & Partial<ConnectionDraft>,
  { key, secret }: { key: string; secret: string },
): Promise<ConnectionRow> {
  const id = ids.next('connection')
  const whole = {
    ...{ id, account_id: 'acc_local', name: `n-${id.slice(-8)}`, author: 'usr_ann' },
    ...{ workspaces: ['default'], fingerprint: '0123abcd' },
    ...draft,
  }
  const sealed = await boxOf(key).seal({ id, version: 1, address: addressOf(whole) }, secret)
  const audit = connectionAudit('connection.created', id)
  const row = await createConnectionStore(db).create(whole, sealed, { most: 200, audit })
  if (row === undefined) throw new Error('was not made')
  return row
}
