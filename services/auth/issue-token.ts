import type { UserRow } from '#store/users.ts'
import { defineVerb } from '../define-verb.ts'
import { checkPassword, type SignInContext } from './check-password.ts'
import { tokensOf } from './identity.ts'
import { recordSignIn } from './sessions.ts'

export interface PasswordGrant {
  username: string
  password: string
  /** names separated by spaces; absent means all that the user has */
  scope?: string | undefined
  /** the requesting client; actions with the token count as its own */
  client_id?: string | undefined
  ip?: string | undefined
}

/** The answer of a token endpoint (RFC 6749 section 5.1). */
export interface TokenGrant {
  access_token: string
  token_type: 'bearer'
  expires_in: number
  scope: string
}

/** Issues a token to a user who signs in. Throws `unauthenticated`, `rate_limited`. */
export const issueToken = defineVerb(
  { role: 'public', access: 'write', scope: 'account' },
  async (ctx: SignInContext, input: PasswordGrant): Promise<TokenGrant> => {
    const tokens = tokensOf(ctx)
    const row = await checkPassword(ctx, input)
    const scopes = grantedScopes(row, input.scope)
    const { token, expires_in_s } = await tokens.issue(row, scopes, input.client_id)
    await recordSignIn(ctx, row, { scopes, client_id: input.client_id ?? null, ip: input.ip })
    return { access_token: token, token_type: 'bearer', expires_in: expires_in_s, scope: scopes.join(' ') }
  },
)

/** Returns the requested scopes that the user has; the answer reports a reduction (RFC 6749 section 3.3). */
function grantedScopes(row: UserRow, asked: string | undefined): string[] {
  const wanted = asked?.split(' ').filter((name) => name !== '') ?? []
  return wanted.length === 0 ? row.scopes : row.scopes.filter((scope) => wanted.includes(scope))
}
