import { logOut } from '#services/auth/log-out.ts'
import { defineRoute } from '../../define-route.ts'

export const logOutRoute = defineRoute(
  {
    operationId: 'logOut',
    method: 'post',
    path: '/auth/logout',
    tags: ['auth'],
    access: 'write',
    auth: 'user',
    scope: 'account',
    summary: 'Sign out everywhere',
    description: 'Tokens are not kept, so they end together: every session of the caller, within five seconds.',
    responses: { 204: { description: 'Every token of the caller has ended' } },
  },
  async (c) => {
    await logOut({ ...c.get('ctx'), ...c.get('deps').identity })
    return c.body(null, 204)
  },
)
