import { DomainError } from '#core/errors.ts'
import type { UserRow } from '#store/users.ts'
import type { Later } from '../context.ts'
import type { RefusalCounter } from '../refusals/count-refusals.ts'
import { onRecord } from '../refusals/record-refusals.ts'
import { ANONYMOUS } from './authenticator.ts'
import { auditsOf, type IdentityContext, logsOf } from './identity.ts'

/** Attempts to sign in: of one address on one user, and of one address altogether. */
export interface LoginLimits {
  /** throws `rate_limited` */
  pair: { take(key: string): Promise<void> }
  ip: { take(key: string): Promise<void> }
  /** API keys that were not good, of one address */
  key: { take(key: string): Promise<void> }
}

export type SignInContext = IdentityContext & {
  logins: LoginLimits
  refusals: Pick<RefusalCounter, 'record'>
  later: Later
}

/**
 * Returns the user with this password. Every refusal costs one hash and has the same text, so that neither time nor words tell an unknown
 * address from a wrong password. Throws `unauthenticated`, `rate_limited`.
 */
export async function checkPassword(
  ctx: SignInContext,
  input: { username: string; password: string; ip?: string | undefined },
): Promise<UserRow> {
  const email = input.username.trim().toLowerCase()
  await ctx.logins.ip.take(input.ip ?? 'unknown')
  await ctx.logins.pair.take(`${email} ${input.ip}`)
  const row = await ctx.users.findByEmail(email)
  const matches = await ctx.passwords.verify(row?.password_hash ?? (await ctx.passwords.decoy()), input.password)
  if (row !== undefined && matches && row.password_hash !== null && row.status === 'active') return row
  const reason = reasonOf(row, matches)
  const user_id = row?.id ?? 'unknown'
  const as = { ...ctx, actor: ANONYMOUS }
  const what = { category: 'auth', action: 'token.refused', user_id, ip: input.ip } as const
  const drafts = auditsOf(as, { ...what, logs: logsOf(...(row === undefined ? [] : [row])), data: () => ({ reason }) })
  // after the answer: a refusal that is written and one that is only counted take the same time
  for (const draft of drafts) ctx.later(() => ctx.refusals.record({ kind: reason, apart: [draft.workspace_id], draft }))
  throw onRecord(new DomainError('unauthenticated', 'The address or the password is not right.'))
}

/** For the record only; the caller gets the same answer in every case. */
function reasonOf(row: UserRow | undefined, matches: boolean): string {
  if (row === undefined) return 'unknown_user'
  return row.status === 'active' && !matches ? 'wrong_password' : row.status
}
