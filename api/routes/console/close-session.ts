import { logOut } from '#services/auth/log-out.ts'
import { defineRoute } from '../../define-route.ts'
import { dropSession } from '../../session-cookie.ts'

export const closeSessionRoute = defineRoute(
  {
    operationId: 'closeSession',
    method: 'delete',
    path: '/console/api/session',
    tags: ['auth'],
    access: 'write',
    auth: 'user',
    scope: 'account',
    summary: 'Sign out of the console, and everywhere else',
    description:
      'Sessions are not kept, so they end together with the tokens of the caller: a copy of the cookie is good for nothing afterwards, within five seconds.',
    responses: { 204: { description: 'Every session and token of the caller has ended' } },
  },
  async (c) => {
    await logOut({ ...c.get('ctx'), ...c.get('deps').identity })
    dropSession(c)
    return c.body(null, 204)
  },
)
