import { z } from '@hono/zod-openapi'
import { User, UserEdit, UserId } from '#core/user/schema.ts'
import { updateUser } from '#services/auth/update-user.ts'
import { defineRoute, json, ok } from '../../define-route.ts'
import { ETAG, IfMatch } from '../../schemas/workspaces.ts'

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
      'New roles and a new status end every session of the user; all of it is in force within five seconds. Only an owner changes an owner, and the last one stays. Of somebody who is also in workspaces that you may not enter, only `workspaces` changes, within yours.',
    request: { params: z.object({ id: UserId }), headers: IfMatch, body: json(UserEdit) },
    responses: { 200: { ...ok(User, 'The user as it is now'), headers: ETAG } },
    problems: ['version_conflict', 'conflict'],
  },
  async (c) => {
    const user_id = c.req.valid('param').id
    const if_match = c.req.valid('header')['if-match']
    const ctx = { ...c.get('ctx'), ...c.get('deps').identity }
    const user = await updateUser(ctx, { user_id, if_match, edit: c.req.valid('json') })
    return c.json(user, 200, { etag: user.etag })
  },
)
