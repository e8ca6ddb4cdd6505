import { auditRefusal, brokenRecord, differingRecord } from '#core/audit/problem.ts'
import type { AuditDraft } from '#core/audit/types.ts'
import { DomainError } from '#core/errors.ts'
import { DEFAULT_WORKSPACE_ID, type Ids } from '#core/id.ts'
import type { JsonObject } from '#core/json/json.ts'
import type { LeaseToken } from '#core/lease/lease.ts'
import type { Clock } from '#core/time/time.ts'
import type { Verification, VerifiedRecord } from '#platform/audit-sink/verify-range.ts'
import type { AuditOutbox, ChainedDraft } from '#store/audit/audit-outbox.ts'
import { OPERATOR, systemAudit } from './system-audit.ts'

export interface AcceptDeps {
  outbox: Pick<AuditOutbox, 'marks' | 'adopt'>
  /** the lease of the chain, which no other process holds */
  token: LeaseToken
  /** reads and verifies the log from its beginning */
  verify(onRecord: (record: VerifiedRecord) => void): Promise<Verification>
  ids: Ids
  clock: Clock
}

export interface Accepted {
  from_seq: number
  to_seq: number
  records: number
}

/**
 * Copies records from the log into the database that are missing there, by an operator's decision, and records that. No process may write
 * the log meanwhile. Throws `audit_unavailable` when the log is broken, or contradicts the database; `conflict` when nothing is missing.
 */
export async function acceptLog(
  { outbox, token, verify, ids, clock }: AcceptDeps,
  by: { reason: string; os_user: string },
): Promise<Accepted> {
  const marks = await outbox.marks(0, Number.MAX_SAFE_INTEGER)
  const unknown: ChainedDraft[] = []
  let differing: number | undefined
  const { broken } = await verify(({ seq, hash, event }) => {
    const mark = marks.get(seq)
    if (mark === undefined) unknown.push({ seq, hash, draft: draftOf(event) })
    else if (mark !== hash) differing ??= seq
  })
  if (differing !== undefined) throw auditRefusal(differingRecord(differing))
  if (broken !== undefined) throw auditRefusal(brokenRecord(broken))
  const [first, last] = [unknown[0], unknown.at(-1)]
  if (first === undefined || last === undefined)
    throw new DomainError('conflict', 'The database has every record of the audit log: there is nothing to accept.')
  const accepted = { from_seq: first.seq, to_seq: last.seq, records: unknown.length }
  const by_command = { actor: OPERATOR, channel: 'cli' } as const
  await outbox.adopt(unknown, sinkDraft({ ids, clock }, 'sink.accepted', { ...by, ...accepted }, by_command), token)
  return accepted
}

function draftOf({ v: _v, seq: _seq, ...draft }: VerifiedRecord['event']) {
  return draft
}

/** A record about the audit log itself. */
export function sinkDraft(
  ports: { ids: Ids; clock: Clock },
  action: `sink.${string}`,
  data: JsonObject,
  by: Partial<Pick<AuditDraft, 'actor' | 'channel'>> = {},
): AuditDraft {
  return systemAudit(ports, {
    category: 'sink',
    action,
    workspace_id: DEFAULT_WORKSPACE_ID,
    subject: { type: 'audit_log', id: 'audit.jsonl' },
    data,
    ...by,
  })
}
