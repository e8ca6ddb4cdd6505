import { Workspace, WorkspaceEdit } from '#core/workspace/schema.ts'
import { updateWorkspace } from '#services/workspaces/update-workspace.ts'
import { defineRoute, json, ok } from '../../define-route.ts'
import { ETAG, IfMatch, WorkspaceParams } from '../../schemas/workspaces.ts'

export const updateWorkspaceRoute = defineRoute(
  {
    operationId: 'updateWorkspace',
    method: 'patch',
    path: '/workspaces/{id}',
    tags: ['workspaces'],
    access: 'write',
    auth: 'admin',
    scope: 'account',
    summary: 'Change a workspace, or take it out of the archive',
    request: { params: WorkspaceParams, headers: IfMatch, body: json(WorkspaceEdit) },
    responses: { 200: { ...ok(Workspace, 'The workspace'), headers: ETAG } },
    problems: ['version_conflict', 'workspace_protected', 'conflict'],
  },
  async (c) => {
    const workspace_id = c.req.valid('param').id
    const if_match = c.req.valid('header')['if-match']
    const workspace = await updateWorkspace(c.get('ctx'), { workspace_id, if_match, edit: c.req.valid('json') })
    c.get('deps').workspaces.forget(workspace_id)
    return c.json(workspace, 200, { etag: workspace.etag })
  },
)
