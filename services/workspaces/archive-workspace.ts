import { DomainError } from '#core/errors.ts'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import type { Workspace } from '#core/workspace/schema.ts'
import { may } from '../auth/may.ts'
import { defineVerb } from '../define-verb.ts'
import { changeWorkspace } from './change-workspace.ts'
import { type WorkspaceContext, workspaceAudit } from './workspace-record.ts'

/** Archives a workspace: it can be read, and nothing in it changes. While it is protected, an owner has to repeat its slug. */
export const archiveWorkspace = defineVerb(
  { role: 'admin', access: 'write', scope: 'account' },
  async (
    ctx: WorkspaceContext,
    input: { workspace_id: string; if_match?: string | undefined; confirm?: string | undefined },
  ): Promise<Workspace> => {
    const { workspace_id, confirm } = input
    return await changeWorkspace(ctx, input, (current) => {
      if (current.status === 'archived') return undefined
      const confirmed = confirm === current.slug && may(ctx.actor, 'owner')
      mayArchive(current.protected && !confirmed, workspace_id)
      const data = { status: { from: current.status, to: 'archived' }, confirmed }
      return {
        change: { ...current, status: 'archived' },
        audit: workspaceAudit(ctx, workspace_id, { action: 'workspace.archived', data }),
      }
    })
  },
)

/** Throws `workspace_protected`. The first workspace is where callers without one of their own land: it stays. */
export function mayArchive(isProtected: boolean, workspaceId: string): void {
  if (workspaceId === DEFAULT_WORKSPACE_ID) {
    throw new DomainError('workspace_protected', 'The default workspace cannot be archived.')
  }
  if (isProtected) {
    throw new DomainError(
      'workspace_protected',
      'The workspace is protected: set `protected` to false first, or as an owner repeat its slug in `confirm`.',
    )
  }
}
