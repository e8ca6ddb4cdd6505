import type { JsonObject } from '#core/json/json.ts'
import type { Workspace, WorkspaceEdit } from '#core/workspace/schema.ts'
import type { WorkspaceChange, WorkspaceRow } from '#store/workspaces.ts'
import { defineVerb } from '../define-verb.ts'
import { mayArchive } from './archive-workspace.ts'
import { changeWorkspace } from './change-workspace.ts'
import { limitsOf, mustBeKnownEnvironment } from './create-workspace.ts'
import { type WorkspaceContext, workspaceAudit } from './workspace-record.ts'

/** Changes the name, the limits and the status of a workspace. */
export const updateWorkspace = defineVerb(
  { role: 'admin', access: 'write', scope: 'account' },
  async (
    ctx: WorkspaceContext,
    input: { workspace_id: string; if_match?: string | undefined; edit: WorkspaceEdit },
  ): Promise<Workspace> => {
    const { workspace_id, edit } = input
    return await changeWorkspace(ctx, input, (current) => {
      const named = edit.default_environment
      if (named !== undefined && named !== current.default_environment) mustBeKnownEnvironment(ctx, named, current.slug)
      const change = changeOf(current, edit)
      const data = differences(current, change)
      if (Object.keys(data).length === 0) return undefined
      const archives = change.status === 'archived' && current.status !== 'archived'
      if (archives) mayArchive(change.protected, workspace_id)
      const action = archives ? 'workspace.archived' : 'workspace.updated'
      return { change, audit: workspaceAudit(ctx, workspace_id, { action, data }) }
    })
  },
)

function changeOf(current: WorkspaceRow, edit: WorkspaceEdit): WorkspaceChange {
  return {
    name: edit.name ?? current.name,
    status: edit.status ?? current.status,
    protected: edit.protected ?? current.protected,
    default_environment: edit.default_environment ?? current.default_environment,
    limits: edit.limits === undefined ? current.limits : limitsOf(edit),
  }
}

/** Returns each changed field with its old and new value. */
function differences(from: WorkspaceChange, to: WorkspaceChange): JsonObject {
  const fields = ['name', 'status', 'protected', 'default_environment'] as const
  const changed: JsonObject = {}
  for (const field of fields) if (from[field] !== to[field]) changed[field] = { from: from[field], to: to[field] }
  const limits = ['realtime', 'background', 'daily_usd'] as const
  if (limits.some((limit) => from.limits[limit] !== to.limits[limit])) {
    changed['limits'] = { from: { ...from.limits }, to: { ...to.limits } }
  }
  return changed
}
