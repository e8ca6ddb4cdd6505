import { DomainError } from '#core/errors.ts'
import type { UserRow } from '#store/users.ts'
import type { Later } from '../context.ts'
import type { RefusalFold } from '../refusals/fold-refusals.ts'
import { onRecord } from '../refusals/on-record.ts'
import { ANONYMOUS } from './authenticator.ts'
import { auditOf, type IdentityContext, tokensOf } from './identity.ts'
import { userActor } from './user-actor.ts'

export interface PasswordGrant {
  username: string
  password: string
  /** names separated by spaces; absent means all that the user has */
  scope?: string | undefined
  /** the client that asks; what is done with the token counts as its */
  client_id?: string | undefined
  ip?: string | undefined
}

/** Attempts to sign in: of one address on one user, and of one address altogether. */
export interface LoginLimits {
  /** throws `rate_limited` */
  pair: { take(key: string): Promise<void> }
  ip: { take(key: string): Promise<void> }
  /** API keys that were not good, of one address */
  key: { take(key: string): Promise<void> }
}

/** The answer of a token endpoint (RFC 6749 section 5.1). */
export interface TokenGrant {
  access_token: string
  token_type: 'bearer'
  expires_in: number
  scope: string
}

/**
 * Signs somebody in. Every refusal costs one hash and says the same, so that neither time nor words tell an unknown
 * address from a wrong password. Throws `unauthenticated`, `rate_limited`.
 */
export async function issueToken(
  ctx: IdentityContext & { logins: LoginLimits; refusals: Pick<RefusalFold, 'tell'>; later: Later },
  input: PasswordGrant,
): Promise<TokenGrant> {
  const email = input.username.trim().toLowerCase()
  await ctx.logins.ip.take(input.ip ?? 'unknown')
  await ctx.logins.pair.take(`${email} ${input.ip}`)
  const tokens = tokensOf(ctx)
  const row = await ctx.users.findByEmail(email)
  const matches = await ctx.passwords.verify(row?.password_hash ?? (await ctx.passwords.decoy()), input.password)
  if (row === undefined || !matches || row.password_hash === null || row.status !== 'active') {
    const reason = reasonOf(row, matches)
    const user_id = row?.id ?? 'unknown'
    const as = { ...ctx, actor: ANONYMOUS }
    const draft = auditOf(as, { category: 'auth', action: 'token.refused', user_id, data: { reason }, ip: input.ip })
    // after the answer: one that is written and one that is only counted take the same time
    ctx.later(() => ctx.refusals.tell({ kind: reason, draft }))
    throw onRecord(new DomainError('unauthenticated', 'The address or the password is not right.'))
  }
  const scopes = grantedScopes(row, input.scope)
  const { token, expires_in_s } = await tokens.issue(row, scopes, input.client_id)
  const as = { ...ctx, actor: userActor(row, 'none') }
  await ctx.users.recordLogin(
    row.id,
    auditOf(as, {
      category: 'auth',
      action: 'token.issued',
      user_id: row.id,
      data: { scopes, client_id: input.client_id ?? null },
      ip: input.ip,
    }),
  )
  return { access_token: token, token_type: 'bearer', expires_in: expires_in_s, scope: scopes.join(' ') }
}

/** For the record only; the caller is told the same in every case. */
function reasonOf(row: UserRow | undefined, matches: boolean): string {
  if (row === undefined) return 'unknown_user'
  return row.status === 'active' && !matches ? 'wrong_password' : row.status
}

/** What is asked for and the user has: never more, and less is said in the answer (RFC 6749 section 3.3). */
function grantedScopes(row: UserRow, asked: string | undefined): string[] {
  const wanted = asked?.split(' ').filter((name) => name !== '') ?? []
  return wanted.length === 0 ? row.scopes : row.scopes.filter((scope) => wanted.includes(scope))
}
