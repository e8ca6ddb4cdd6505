import { DomainError } from '#core/errors.ts'
import { signIn, type TokenGrant } from '#services/auth/issue-token.ts'
import type { ApiContext } from './context.ts'
import { clientIp } from './request-origin.ts'

/** Gives anyone who signs in on a page the token that `POST /token` would. Throws `unauthenticated`, `rate_limited`, `not_configured`. */
export async function issueTokenOnPage(
  c: ApiContext,
  credentials: { email: string; password: string },
): Promise<TokenGrant> {
  const { auth, identity, logins, refusals } = c.get('deps')
  if (!auth.enabled) throw new DomainError('not_configured', 'Authentication is off: nobody can sign in.')
  return await signIn(
    { ...c.get('ctx'), ...identity, logins, refusals },
    { username: credentials.email, password: credentials.password, ip: clientIp(c) },
  )
}
