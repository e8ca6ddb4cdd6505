import { User } from '#core/user/schema.ts'
import { getMe } from '#services/auth/get-me.ts'
import { defineRoute, ok } from '../../define-route.ts'

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
