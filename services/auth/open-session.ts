import { DomainError } from '#core/errors.ts'
import type { OpenedSession, Sessions } from '#platform/sessions.ts'
import type { UserRow } from '#store/users.ts'
import { CONSOLE_CLIENT } from './authenticator.ts'
import { checkPassword, type SignInContext } from './check-password.ts'
import { recordSignIn } from './record-sign-in.ts'

/** Signs a person in with a session for a browser. Throws `unauthenticated`, `rate_limited`, `forbidden`. */
export async function openSession(
  ctx: SignInContext & { sessions: Sessions },
  input: { email: string; password: string; ip?: string | undefined },
): Promise<{ session: OpenedSession; row: UserRow }> {
  const row = await checkPassword(ctx, { username: input.email, password: input.password, ip: input.ip })
  if (row.roles.includes('service')) throw new DomainError('forbidden', 'A service account has no session.')
  const session = await ctx.sessions.open(row)
  await recordSignIn(ctx, row, { scopes: row.scopes, client_id: CONSOLE_CLIENT, ip: input.ip })
  return { session, row }
}
