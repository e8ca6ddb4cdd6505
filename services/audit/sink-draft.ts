import type { AuditDraft } from '#core/audit/types.ts'
import { DEFAULT_WORKSPACE_ID, type Ids } from '#core/id.ts'
import type { JsonObject } from '#core/json-pointer.ts'
import { type Clock, isoTime } from '#core/time.ts'

/** A record about the audit log itself. */
export function sinkDraft(
  { ids, clock }: { ids: Ids; clock: Clock },
  action: `sink.${string}`,
  data: JsonObject,
  by: Partial<Pick<AuditDraft, 'actor' | 'channel'>> = {},
): AuditDraft {
  return {
    id: ids.next('audit'),
    ts: isoTime(clock()),
    category: 'sink',
    action,
    workspace_id: DEFAULT_WORKSPACE_ID,
    actor: { type: 'system', id: 'svc', auth: 'none' },
    subject: { type: 'audit_log', id: 'audit.jsonl' },
    data,
    ...by,
  }
}
