import type { AuditDraft } from '#core/audit/types.ts'
import type { HaltScope } from '#core/halt/halt.ts'
import { isoTime } from '#core/time.ts'
import type { ServiceContext } from '../context.ts'

/** The record of a halt that was set or lifted; the database adds how many runs it holds. */
export function haltAudit(
  ctx: ServiceContext,
  { action, id, scope, reason }: { action: 'halt.set' | 'halt.lifted'; id: string; scope: HaltScope; reason: string },
): AuditDraft {
  return {
    id: ctx.ids.next('audit'),
    ts: isoTime(ctx.clock()),
    category: 'admin',
    action,
    workspace_id: scope.workspace ?? ctx.workspace_id,
    actor: { type: ctx.actor.type, id: ctx.actor.id, auth: ctx.actor.auth },
    channel: ctx.channel,
    subject: { type: 'halt', id },
    data: { scope: { ...scope }, reason },
  }
}
