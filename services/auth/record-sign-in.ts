import type { UserRow } from '#store/users.ts'
import { type auditOf, auditsOf, type IdentityContext, logsOf } from './identity.ts'
import { userActor } from './user-actor.ts'

/** Puts on record that somebody has signed in, as themselves, through which client. */
export async function recordSignIn(
  ctx: Parameters<typeof auditOf>[0] & Pick<IdentityContext, 'users'>,
  row: UserRow,
  { ip, ...data }: { scopes: string[]; client_id: string | null; ip: string | undefined },
): Promise<void> {
  const as = { ...ctx, actor: userActor(row, 'none') }
  const what = { category: 'auth', action: 'token.issued', user_id: row.id, ip } as const
  await ctx.users.recordLogin(row.id, auditsOf(as, { ...what, logs: logsOf(row), data: () => data }))
}
