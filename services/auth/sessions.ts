import { DomainError } from '#core/errors.ts'
import { endedSessions } from '#core/user/session.ts'
import type { OpenedSession, SessionClaims, Sessions } from '#platform/sessions.ts'
import type { UserRow } from '#store/users.ts'
import { defineVerb } from '../define-verb.ts'
import { CONSOLE_CLIENT, LOCAL_ACTOR } from './authenticator.ts'
import { checkPassword, type SignInContext } from './check-password.ts'
import { type auditOf, auditsOf, type IdentityContext, logsOf, mustBeKnown } from './identity.ts'
import { userActor } from './user-record.ts'

const SIGNED_OUT = { category: 'auth', action: 'token.revoked' } as const

/** Signs a person in with a session for a browser. Throws `unauthenticated`, `rate_limited`, `forbidden`. */
export const openSession = defineVerb(
  { role: 'public', access: 'write', scope: 'account' },
  async (
    ctx: SignInContext & { sessions: Sessions },
    input: { email: string; password: string; ip?: string | undefined },
  ): Promise<{ session: OpenedSession; row: UserRow }> => {
    const row = await checkPassword(ctx, { username: input.email, password: input.password, ip: input.ip })
    if (row.roles.includes('service')) throw new DomainError('forbidden', 'A service account has no session.')
    const session = await ctx.sessions.open(row)
    await recordSignIn(ctx, row, { scopes: row.scopes, client_id: CONSOLE_CLIENT, ip: input.ip })
    return { session, row }
  },
)

/** Signs a person out in one browser. Without a session, as with a bearer token, there is nothing to end. */
export const closeSession = defineVerb(
  { role: 'user', access: 'write', scope: 'account' },
  async (ctx: IdentityContext, session: SessionClaims | undefined): Promise<void> => {
    if (session === undefined) return
    const now_s = Math.floor(ctx.clock() / 1_000)
    const row = await ctx.users.change(session.sub, (current) => ({
      patch: { ended_sessions: endedSessions(current.ended_sessions, session, now_s) },
      audit: auditsOf(ctx, {
        ...SIGNED_OUT,
        user_id: session.sub,
        logs: logsOf(current),
        data: () => ({ sessions: 'one' }),
      }),
    }))
    mustBeKnown(row)
  },
)

/**
 * Ends every session of the caller, this one included: tokens are not kept anywhere, so they end together. With
 * authentication off there is no session to end.
 */
export const logOut = defineVerb(
  { role: 'user', access: 'write', scope: 'account' },
  async (ctx: IdentityContext): Promise<void> => {
    const { id } = ctx.actor
    if (id === LOCAL_ACTOR.id) return
    const row = await ctx.users.change(id, (current) => ({
      patch: { token_version: current.token_version + 1 },
      audit: auditsOf(ctx, { ...SIGNED_OUT, user_id: id, logs: logsOf(current), data: () => ({ sessions: 'all' }) }),
    }))
    mustBeKnown(row)
  },
)

/** Records that a user has signed in, and through which client. */
export async function recordSignIn(
  ctx: Parameters<typeof auditOf>[0] & Pick<IdentityContext, 'users'>,
  row: UserRow,
  { ip, ...data }: { scopes: string[]; client_id: string | null; ip: string | undefined },
): Promise<void> {
  const as = { ...ctx, actor: userActor(row, 'none') }
  const what = { category: 'auth', action: 'token.issued', user_id: row.id, ip } as const
  await ctx.users.recordLogin(row.id, auditsOf(as, { ...what, logs: logsOf(row), data: () => data }))
}
