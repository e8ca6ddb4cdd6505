import { z } from 'zod'
import { isoTime } from '#core/time/time.ts'
import { User } from '#core/user/schema.ts'
import type { OpenedSession } from '#platform/sessions.ts'
import { LOCAL_ACTOR } from '#services/auth/authenticator.ts'
import { sessionsOf } from '#services/auth/identity.ts'
import { may } from '#services/auth/may.ts'
import { getMe } from '#services/auth/me.ts'
import type { ApiContext } from './context.ts'
import { isForeign } from './request-origin.ts'
import { dropSession, keepSession, personOf, sessionOf } from './session-cookie.ts'

export const ConsoleSession = z
  .object({
    authentication: z
      .enum(['on', 'off'])
      .meta({ description: '`off`: there is no sign-in, and every caller is the local owner' }),
    user: User.nullable().meta({ description: 'Who is signed in' }),
    csrf: z
      .string()
      .nullable()
      .meta({ description: 'For the header `X-Svc-Csrf`, which every call with the cookie needs' }),
    expires_at: z.iso.datetime().nullable().meta({ description: 'When the session ends unless it is renewed' }),
    temporal_workflows: z.string().optional().meta({
      description:
        'For owners and admins of all workspaces, where it is known: the address at which the Web UI of Temporal shows a run, without its id',
      example: 'https://temporal.example.com/namespaces/default/workflows/',
    }),
  })
  .meta({ id: 'ConsoleSession', description: 'The session of a browser.' })

export const ConsoleSignIn = z.strictObject({ email: z.string().max(254), password: z.string().max(1_000) }).meta({
  id: 'ConsoleSignIn',
  description: 'What the sign-in of the console sends.',
  example: { email: 'ann@example.com', password: 'correct horse battery staple' },
})

type SessionRecord = z.infer<typeof ConsoleSession>

const NOBODY: SessionRecord = { authentication: 'on', user: null, csrf: null, expires_at: null }

/** Returns the session of this browser, and prolongs it. */
export async function currentSession(c: ApiContext): Promise<SessionRecord> {
  const { auth, identity } = c.get('deps')
  if (!auth.enabled) {
    const user = await getMe({ ...identity, actor: LOCAL_ACTOR })
    return { authentication: 'off', user, csrf: null, expires_at: null, ...temporalOf(c, user) }
  }
  const claims = await sessionOf(c)
  const actor = await personOf(c, claims)
  if (claims === undefined || actor === undefined) {
    if (isStale(c)) dropSession(c)
    return NOBODY
  }
  return giveSession(c, await sessionsOf(identity).renew(claims), await getMe({ ...identity, actor }))
}

/** Good for nothing, and not only not counted here: another site must not sign anybody out by asking. */
function isStale(c: ApiContext): boolean {
  const sent = c.req.header('cookie')?.includes('svc_session=') ?? false
  return sent && !isForeign(c) && c.req.header('authorization') === undefined
}

/** Sets the cookie and returns the session record. */
export function giveSession(c: ApiContext, session: OpenedSession, user: User): SessionRecord {
  keepSession(c, session)
  const expires_at = isoTime(session.expires_at * 1_000)
  return { authentication: 'on', user, csrf: session.csrf, expires_at, ...temporalOf(c, user) }
}

/** It shows the runs of every workspace, so that only those who may enter all are led there. */
function temporalOf(c: ApiContext, user: User): Pick<SessionRecord, 'temporal_workflows'> {
  const { temporal_workflows } = c.get('deps')
  if (temporal_workflows === undefined || !user.workspaces.includes('*') || !may(user, 'admin')) return {}
  return { temporal_workflows }
}
