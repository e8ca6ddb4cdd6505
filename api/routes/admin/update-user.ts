import { z } from '@hono/zod-openapi'
import { User, UserEdit, UserId } from '#core/user/schema.ts'
import { updateUser } from '#services/auth/update-user.ts'
import { defineRoute, json, ok } from '../../define-route.ts'

export const updateUserRoute = defineRoute(
  {
    operationId: 'updateUser',
    method: 'patch',
    path: '/admin/users/{id}',
    tags: ['admin'],
    access: 'write',
    auth: 'admin',
    scope: 'account',
    summary: 'Change what a user may do',
    description:
      'New roles and a new status end every session of the user; all of it is in force within five seconds. Only an owner changes an owner, and the last one stays.',
    request: { params: z.object({ id: UserId }), body: json(UserEdit) },
    responses: { 200: ok(User, 'The user as it is now') },
    problems: ['conflict'],
  },
  async (c) => {
    const input = { ...c.req.valid('json'), user_id: c.req.valid('param').id }
    return c.json(await updateUser({ ...c.get('ctx'), ...c.get('deps').identity }, input), 200)
  },
)
