import type { AuditDraft } from '#core/audit/types.ts'
import type { ServiceContext } from '../context.ts'

/** What goes on record of the wish for a run; whoever puts it in line says which record it is, and when. */
export function startAudit(
  ctx: Pick<ServiceContext, 'actor' | 'channel' | 'workspace_id'>,
  {
    category = 'trigger',
    ...record
  }: Pick<AuditDraft, 'action' | 'data' | 'subject'> & { category?: AuditDraft['category'] },
): Omit<AuditDraft, 'id' | 'ts'> {
  return {
    category,
    workspace_id: ctx.workspace_id,
    actor: { type: ctx.actor.type, id: ctx.actor.id, auth: ctx.actor.auth },
    channel: ctx.channel,
    ...record,
  }
}
