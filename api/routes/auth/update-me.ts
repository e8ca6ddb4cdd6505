import { OwnEdit, User } from '#core/user/schema.ts'
import { updateMe } from '#services/auth/update-me.ts'
import { defineRoute, json, ok } from '../../define-route.ts'

export const updateMeRoute = defineRoute(
  {
    operationId: 'updateMe',
    method: 'patch',
    path: '/auth/me',
    tags: ['auth'],
    access: 'write',
    auth: 'user',
    scope: 'account',
    summary: 'Change your name, your absence and your delegate',
    description: 'While you are away, your delegate answers gates with your approval roles.',
    request: { body: json(OwnEdit) },
    responses: { 200: ok(User, 'You, as you are now') },
    problems: ['not_configured'],
  },
  async (c) => c.json(await updateMe({ ...c.get('ctx'), ...c.get('deps').identity }, c.req.valid('json')), 200),
)
