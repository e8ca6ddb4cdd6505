import { DomainError } from '#core/errors.ts'
import { sessionsOf } from '#services/auth/identity.ts'
import { closeSession, openSession } from '#services/auth/sessions.ts'
import { toUserRecord } from '#services/auth/user-record.ts'
import { ConsoleSession, ConsoleSignIn, currentSession, giveSession } from '../../console-session.ts'
import { defineRoute, json, ok } from '../../define-route.ts'
import { clientIp, isForeign } from '../../request-origin.ts'
import { claimedSession, dropSession } from '../../session-cookie.ts'

export const closeSessionRoute = defineRoute(
  {
    operationId: 'closeSession',
    method: 'delete',
    path: '/console/api/session',
    tags: ['auth'],
    verb: closeSession,
    summary: 'Sign out of the console in this browser',
    description:
      'Ends this session alone: a copy of its cookie is good for nothing afterwards, within five seconds. `POST /auth/logout` signs out everywhere.',
    responses: { 204: { description: 'The session has ended; with a bearer token there is none' } },
  },
  async (c) => {
    await closeSession({ ...c.get('ctx'), ...c.get('deps').identity }, await claimedSession(c))
    dropSession(c)
    return c.body(null, 204)
  },
)

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
      'Renews the session while it is used, for at most twelve hours after the sign-in. Only pages of this origin get an answer.',
    responses: { 200: ok(ConsoleSession, 'The session; `user` is null without one') },
  },
  async (c) => {
    c.header('Cache-Control', 'no-store')
    return c.json(await currentSession(c), 200)
  },
)

export const openSessionRoute = defineRoute(
  {
    operationId: 'openSession',
    method: 'post',
    path: '/console/api/session',
    tags: ['auth'],
    verb: openSession,
    summary: 'Sign in to the console',
    description:
      'Sets an HttpOnly cookie. It identifies the user only together with the header `X-Svc-Csrf` with the value of the answer, and an `Authorization` header always wins over it. People only: an API key opens no session.',
    request: { body: json(ConsoleSignIn) },
    responses: { 200: ok(ConsoleSession, 'The new session') },
    problems: ['unauthenticated', 'rate_limited', 'forbidden', 'not_configured'],
    max_body_bytes: 8_192,
  },
  async (c) => {
    if (isForeign(c)) throw new DomainError('forbidden', 'A page of another site cannot sign in.')
    const { identity, logins, refusals } = c.get('deps')
    const ctx = { ...c.get('ctx'), ...identity, logins, refusals, sessions: sessionsOf(identity) }
    const { session, row } = await openSession(ctx, { ...c.req.valid('json'), ip: clientIp(c) })
    c.header('Cache-Control', 'no-store')
    return c.json(giveSession(c, session, toUserRecord(row)), 200)
  },
)
