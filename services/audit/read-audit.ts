import { wellFormed } from '#core/audit/canonical.ts'
import { GENESIS } from '#core/audit/chain.ts'
import type { AuditRecord } from '#core/audit/types.ts'
import { isoTime } from '#core/time.ts'
import type { AuditFilter, AuditPlace, AuditRow, AuditViews } from '#store/audit-views.ts'

/** What of the record is asked for; the workspace is always the caller's. */
export type AuditWish = Omit<AuditFilter, 'workspace_id'>

export interface AuditContext {
  workspace_id: string
  audits: AuditViews
}

/** Records of a workspace as they were hashed, newest first. */
export async function readAudit(
  { workspace_id, audits }: AuditContext,
  wish: AuditWish,
  place: { limit: number; after?: AuditPlace | undefined },
): Promise<AuditRecord[]> {
  return (await audits.list(filterOf(workspace_id, wish), place)).map(toRecord)
}

/** Times are compared as the records have them. */
export function filterOf(workspace_id: string, { from, to, ...wish }: AuditWish): AuditFilter {
  const inUtc = (time: string | undefined) => time && isoTime(Date.parse(time))
  return { ...wish, workspace_id, from: inUtc(from), to: inUtc(to) }
}

function toRecord({ seq, hash, prev_hash, draft }: AuditRow): AuditRecord {
  return { seq, hash, prev_hash: prev_hash ?? GENESIS.hash, event: wellFormed({ ...draft, seq, v: 1 as const }) }
}
