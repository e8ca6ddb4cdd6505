import { z } from '@hono/zod-openapi'
import { Workspace } from '#core/workspace/schema.ts'
import { archiveWorkspace } from '#services/workspaces/archive-workspace.ts'
import { defineRoute, ok } from '../../define-route.ts'
import { ETAG, IfMatch, WorkspaceParams } from '../../schemas/workspaces.ts'

export const archiveWorkspaceRoute = defineRoute(
  {
    operationId: 'archiveWorkspace',
    method: 'delete',
    path: '/workspaces/{id}',
    tags: ['workspaces'],
    access: 'write',
    auth: 'admin',
    scope: 'account',
    summary: 'Archive a workspace: it can be read, and nothing in it changes',
    request: {
      params: WorkspaceParams,
      headers: IfMatch,
      query: z.object({
        confirm: z.string().max(100).optional().meta({ description: 'Its slug, from an owner, while it is protected' }),
      }),
    },
    responses: { 200: { ...ok(Workspace, 'The archived workspace'), headers: ETAG } },
    problems: ['version_conflict', 'workspace_protected', 'conflict'],
  },
  async (c) => {
    const workspace_id = c.req.valid('param').id
    const if_match = c.req.valid('header')['if-match']
    const { confirm } = c.req.valid('query')
    const workspace = await archiveWorkspace(c.get('ctx'), { workspace_id, if_match, confirm })
    c.get('deps').workspaces.forget(workspace_id)
    return c.json(workspace, 200, { etag: workspace.etag })
  },
)
