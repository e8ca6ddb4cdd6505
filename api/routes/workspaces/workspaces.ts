import { z } from '@hono/zod-openapi'
import { Workspace, WorkspaceDraft, WorkspaceEdit } from '#core/workspace/schema.ts'
import { archiveWorkspace } from '#services/workspaces/archive-workspace.ts'
import { createWorkspace } from '#services/workspaces/create-workspace.ts'
import { updateWorkspace } from '#services/workspaces/update-workspace.ts'
import { listWorkspaces } from '#services/workspaces/workspace-directory.ts'
import { defineRoute, json, ok } from '../../define-route.ts'
import { listOf, pageHeaders, pageQuery } from '../../list-response.ts'
import { ETAG, IfMatch, WorkspaceParams } from '../../schemas/params.ts'

export const archiveWorkspaceRoute = defineRoute(
  {
    operationId: 'archiveWorkspace',
    method: 'delete',
    path: '/workspaces/{id}',
    tags: ['workspaces'],
    verb: archiveWorkspace,
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

export const updateWorkspaceRoute = defineRoute(
  {
    operationId: 'updateWorkspace',
    method: 'patch',
    path: '/workspaces/{id}',
    tags: ['workspaces'],
    verb: updateWorkspace,
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

export const createWorkspaceRoute = defineRoute(
  {
    operationId: 'createWorkspace',
    method: 'post',
    path: '/workspaces',
    tags: ['workspaces'],
    verb: createWorkspace,
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

export const listWorkspacesRoute = defineRoute(
  {
    operationId: 'listWorkspaces',
    method: 'get',
    path: '/workspaces',
    tags: ['workspaces'],
    access: 'read',
    auth: 'user',
    scope: 'account',
    summary: 'List the workspaces that the caller may enter, newest first',
    request: {
      query: z.object({
        ...pageQuery,
      }),
    },
    responses: { 200: listOf(Workspace, 'workspaces') },
    problems: ['invalid_cursor'],
  },
  async (c) => {
    const page = await listWorkspaces(c.get('ctx'), c.req.valid('query'))
    pageHeaders(c, page)
    return c.json(page.items, 200)
  },
)
