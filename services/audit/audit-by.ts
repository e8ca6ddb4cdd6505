import type { AuditDraft } from '#core/audit/types.ts'
import { isoTime } from '#core/time.ts'
import type { ServiceContext } from '../context.ts'

/** The audit record of something that the caller does. */
export function auditBy(
  ctx: Pick<ServiceContext, 'actor' | 'channel' | 'clock' | 'ids'>,
  what: Pick<AuditDraft, 'category' | 'action' | 'workspace_id' | 'subject' | 'data'>,
): AuditDraft {
  const { type, id, auth } = ctx.actor
  return {
    id: ctx.ids.next('audit'),
    ts: isoTime(ctx.clock()),
    ...what,
    actor: { type, id, auth },
    channel: ctx.channel,
  }
}
