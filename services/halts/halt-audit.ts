import type { AuditDraft } from '#core/audit/types.ts'
import type { HaltScope } from '#core/halt/halt.ts'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import type { ScheduleStore } from '#store/schedules/schedules.ts'
import type { UserStore } from '#store/users.ts'
import { auditBy } from '../audit/read-audit.ts'
import { logsOf } from '../auth/identity.ts'
import type { ServiceContext } from '../context.ts'

export interface HaltAuditContext extends ServiceContext {
  users: Pick<UserStore, 'find'>
  schedules: Pick<ScheduleStore, 'find'>
}

/** The record of a halt that was set or lifted; the database adds how many runs it holds. */
export async function haltAudit(
  ctx: HaltAuditContext,
  { action, id, scope, reason }: { action: 'halt.set' | 'halt.lifted'; id: string; scope: HaltScope; reason: string },
): Promise<AuditDraft> {
  return auditBy(ctx, {
    category: 'admin',
    action,
    workspace_id: scope.workspace ?? (await homeOf(ctx, scope.requester)) ?? DEFAULT_WORKSPACE_ID,
    subject: { type: 'halt', id },
    data: { scope: { ...scope }, reason },
  })
}

/** Returns the workspace whose log has a record about a person or a schedule. */
async function homeOf(
  { users, schedules }: HaltAuditContext,
  requester: string | undefined,
): Promise<string | undefined> {
  if (requester === undefined) return undefined
  const user = await users.find(requester)
  return user === undefined ? (await schedules.find(requester))?.workspace_id : logsOf(user)[0]
}
