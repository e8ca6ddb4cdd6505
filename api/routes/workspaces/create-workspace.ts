import { Workspace, WorkspaceDraft } from '#core/workspace/schema.ts'
import { createWorkspace } from '#services/workspaces/create-workspace.ts'
import { defineRoute, json } from '../../define-route.ts'
import { ETAG } from '../../schemas/workspaces.ts'

export const createWorkspaceRoute = defineRoute(
  {
    operationId: 'createWorkspace',
    method: 'post',
    path: '/workspaces',
    tags: ['workspaces'],
    access: 'write',
    auth: 'admin',
    scope: 'account',
    summary: 'Make a workspace',
    request: { body: json(WorkspaceDraft) },
    responses: {
      201: {
        description: 'The workspace',
        headers: { ...ETAG, Location: { description: 'Its address', schema: { type: 'string' } } },
        content: { 'application/json': { schema: Workspace } },
      },
    },
    problems: ['conflict'],
    idempotent: true,
  },
  async (c) => {
    const workspace = await createWorkspace(c.get('ctx'), c.req.valid('json'))
    c.get('deps').workspaces.forget(workspace.id)
    return c.json(workspace, 201, { location: `/workspaces/${workspace.id}`, etag: workspace.etag })
  },
)
