import { z } from '@hono/zod-openapi'
import { Workspace } from '#core/workspace/schema.ts'
import { listWorkspaces } from '#services/workspaces/list-workspaces.ts'
import { defineRoute } from '../../define-route.ts'
import { listOf, pageHeaders, pageQuery } from '../../list-response.ts'

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
