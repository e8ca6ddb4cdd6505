import { currentSession } from '../../console-session.ts'
import { defineRoute, ok } from '../../define-route.ts'
import { ConsoleSession } from '../../schemas/console-session.ts'

export const getSessionRoute = defineRoute(
  {
    operationId: 'getSession',
    method: 'get',
    path: '/console/api/session',
    tags: ['auth'],
    access: 'read',
    auth: 'public',
    scope: 'account',
    summary: 'Say who is signed in to the console in this browser',
    description:
      'Renews the session while it is used, for at most twelve hours after the sign-in. Only pages of this origin are told anything.',
    responses: { 200: ok(ConsoleSession, 'The session; `user` is null where nobody is signed in') },
  },
  async (c) => {
    c.header('Cache-Control', 'no-store')
    return c.json(await currentSession(c), 200)
  },
)
