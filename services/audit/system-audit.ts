import type { AuditDraft } from '#core/audit/types.ts'
import type { Ids } from '#core/id.ts'
import { type Clock, isoTime } from '#core/time/time.ts'

/** The administrator of the machine, by a command. */
export const OPERATOR = { type: 'system', id: 'svc-admin', auth: 'none' } as const

/** The audit record of something that the service does by itself, unless it names another actor. */
export function systemAudit(
  { ids, clock }: { ids: Ids; clock: Clock },
  what: Omit<AuditDraft, 'id' | 'ts' | 'actor'> & Partial<Pick<AuditDraft, 'actor'>>,
): AuditDraft {
  return { id: ids.next('audit'), ts: isoTime(clock()), actor: { type: 'system', id: 'svc', auth: 'none' }, ...what }
}
