import { OwnEdit, User } from '#core/user/schema.ts'
import { getMe, updateMe } from '#services/auth/me.ts'
import { defineRoute, json, ok } from '../../define-route.ts'

export const updateMeRoute = defineRoute(
  {
    operationId: 'updateMe',
    method: 'patch',
    path: '/auth/me',
    tags: ['auth'],
    verb: updateMe,
    summary: 'Change your name, your absence and your delegate',
    description: 'While you are away, your delegate answers gates with your approval roles.',
    request: { body: json(OwnEdit) },
    responses: { 200: ok(User, 'You, as you are now') },
    problems: ['not_configured'],
  },
  async (c) => c.json(await updateMe({ ...c.get('ctx'), ...c.get('deps').identity }, c.req.valid('json')), 200),
)

export const getMeRoute = defineRoute(
  {
    operationId: 'getMe',
    method: 'get',
    path: '/auth/me',
    tags: ['auth'],
    access: 'read',
    auth: 'user',
    scope: 'account',
    summary: 'Say who the caller is',
    responses: { 200: ok(User, 'The caller; with authentication off, the local owner') },
  },
  async (c) => {
    c.header('Cache-Control', 'no-store')
    return c.json(await getMe({ ...c.get('ctx'), ...c.get('deps').identity }), 200)
  },
)
