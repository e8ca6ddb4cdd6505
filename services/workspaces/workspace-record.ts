import type { AuditDraft } from '#core/audit/types.ts'
import type { Workspace } from '#core/workspace/schema.ts'
import type { WorkspaceRow, WorkspaceStore } from '#store/workspaces.ts'
import { auditBy } from '../audit/read-audit.ts'
import type { ServiceContext } from '../context.ts'

export type WorkspaceContext = Pick<
  ServiceContext,
  'actor' | 'attempt' | 'channel' | 'clock' | 'environments' | 'ids'
> & {
  workspaces: WorkspaceStore
}

/** The workspace as people see it. */
export function toWorkspaceRecord(row: WorkspaceRow): Workspace {
  const { id, slug, name, status, default_environment, limits, created_at, archived_at } = row
  return {
    id,
    slug,
    name,
    status,
    protected: row.protected,
    default_environment,
    limits,
    etag: `"${row.version}"`,
    created_at,
    ...(archived_at === null ? {} : { archived_at }),
  }
}

/** The audit record of a change that the caller makes to a workspace. */
export function workspaceAudit(
  ctx: WorkspaceContext,
  id: string,
  record: Pick<AuditDraft, 'action' | 'data'>,
): AuditDraft {
  return auditBy(ctx, {
    category: 'admin',
    workspace_id: id,
    subject: { type: 'workspace', id },
    ...record,
  })
}
