import type { AuditDraft } from '#core/audit/types.ts'
import type { HaltScope } from '#core/halt/halt.ts'
import { auditBy } from '../audit/audit-by.ts'
import type { ServiceContext } from '../context.ts'

/** The record of a halt that was set or lifted; the database adds how many runs it holds. */
export function haltAudit(
  ctx: ServiceContext,
  { action, id, scope, reason }: { action: 'halt.set' | 'halt.lifted'; id: string; scope: HaltScope; reason: string },
): AuditDraft {
  return auditBy(ctx, {
    category: 'admin',
    action,
    workspace_id: scope.workspace ?? ctx.workspace_id,
    subject: { type: 'halt', id },
    data: { scope: { ...scope }, reason },
  })
}
