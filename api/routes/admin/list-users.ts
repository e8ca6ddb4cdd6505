import { z } from '@hono/zod-openapi'
import { User } from '#core/user/schema.ts'
import { listUsers } from '#services/auth/list-users.ts'
import { defineRoute } from '../../define-route.ts'
import { pageSize } from '../../schemas/params.ts'

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
    request: {
      query: z.object({
        limit: pageSize(200, 50),
        cursor: z.string().max(200).optional().meta({ description: 'From the `Link` header of the page before' }),
      }),
    },
    responses: {
      200: {
        description: 'A page of users',
        headers: {
          Link: { description: 'The next page, `rel="next"` (RFC 8288)', schema: { type: 'string' } },
          'X-Total-Count': { description: 'How many users there are', schema: { type: 'integer' } },
        },
        content: { 'application/json': { schema: z.array(User) } },
      },
    },
    problems: ['invalid_cursor'],
  },
  async (c) => {
    const { users, total, next_cursor } = await listUsers(
      { ...c.get('ctx'), ...c.get('deps').identity },
      c.req.valid('query'),
    )
    c.header('X-Total-Count', String(total))
    if (next_cursor !== undefined) {
      const next = new URLSearchParams({ ...c.req.query(), cursor: next_cursor })
      c.header('Link', `</admin/users?${next}>; rel="next"`)
    }
    return c.json(users, 200)
  },
)
