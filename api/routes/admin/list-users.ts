import { z } from '@hono/zod-openapi'
import { User } from '#core/user/schema.ts'
import { listUsers } from '#services/auth/list-users.ts'
import { defineRoute } from '../../define-route.ts'
import { listOf, pageHeaders, pageQuery } from '../../list-response.ts'

export const listUsersRoute = defineRoute(
  {
    operationId: 'listUsers',
    method: 'get',
    path: '/admin/users',
    tags: ['admin'],
    access: 'read',
    auth: 'admin',
    scope: 'account',
    summary: 'List users, newest first',
    description:
      'People and service accounts of the workspaces that you may enter; of each, only what is of those workspaces.',
    request: {
      query: z.object({
        ...pageQuery,
      }),
    },
    responses: { 200: listOf(User, 'users') },
    problems: ['invalid_cursor'],
  },
  async (c) => {
    const page = await listUsers({ ...c.get('ctx'), ...c.get('deps').identity }, c.req.valid('query'))
    pageHeaders(c, page)
    return c.json(page.items, 200)
  },
)
