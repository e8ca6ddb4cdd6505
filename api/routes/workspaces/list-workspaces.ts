import { z } from '@hono/zod-openapi'
import { Workspace } from '#core/workspace/schema.ts'
import { listWorkspaces } from '#services/workspaces/list-workspaces.ts'
import { defineRoute } from '../../define-route.ts'
import { pageSize } from '../../schemas/params.ts'

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
        limit: pageSize(200, 50),
        cursor: z.string().max(200).optional().meta({ description: 'From the `Link` header of the page before' }),
      }),
    },
    responses: {
      200: {
        description: 'A page of workspaces',
        headers: {
          Link: { description: 'The next page, `rel="next"` (RFC 8288)', schema: { type: 'string' } },
          'X-Total-Count': { description: 'How many workspaces there are', schema: { type: 'integer' } },
        },
        content: { 'application/json': { schema: z.array(Workspace) } },
      },
    },
    problems: ['invalid_cursor'],
  },
  async (c) => {
    const { workspaces, total, next_cursor } = await listWorkspaces(c.get('ctx'), c.req.valid('query'))
    c.header('X-Total-Count', String(total))
    if (next_cursor !== undefined) {
      const next = new URLSearchParams({ ...c.req.query(), cursor: next_cursor })
      c.header('Link', `</workspaces?${next}>; rel="next"`)
    }
    return c.json(workspaces, 200)
  },
)
