import { DomainError } from '#core/errors.ts'
import { sessionsOf } from '#services/auth/identity.ts'
import { openSession } from '#services/auth/open-session.ts'
import { toUserRecord } from '#services/auth/user-record.ts'
import { clientIp } from '../../client-ip.ts'
import { giveSession } from '../../console-session.ts'
import { defineRoute, json, ok } from '../../define-route.ts'
import { isForeign } from '../../foreign-request.ts'
import { ConsoleSession, ConsoleSignIn } from '../../schemas/console-session.ts'

export const openSessionRoute = defineRoute(
  {
    operationId: 'openSession',
    method: 'post',
    path: '/console/api/session',
    tags: ['auth'],
    access: 'write',
    auth: 'public',
    scope: 'account',
    summary: 'Sign in to the console',
    description:
      'Sets an HttpOnly cookie. It stands for the user only beside the header `X-Svc-Csrf` with the value of the answer, and an `Authorization` header always wins over it. People only: an API key opens no session.',
    request: { body: json(ConsoleSignIn) },
    responses: { 200: ok(ConsoleSession, 'The new session') },
    problems: ['unauthenticated', 'rate_limited', 'forbidden', 'not_configured'],
    max_body_bytes: 8_192,
  },
  async (c) => {
    if (isForeign(c)) throw new DomainError('forbidden', 'The page of another site signs nobody in.')
    const { identity, logins, refusals } = c.get('deps')
    const ctx = { ...c.get('ctx'), ...identity, logins, refusals, sessions: sessionsOf(identity) }
    const { session, row } = await openSession(ctx, { ...c.req.valid('json'), ip: clientIp(c) })
    c.header('Cache-Control', 'no-store')
    return c.json(giveSession(c, session, toUserRecord(row)), 200)
  },
)
