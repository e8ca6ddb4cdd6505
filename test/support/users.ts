import { createHash, randomBytes } from 'node:crypto'
import type { ApiDeps } from '#api/deps.ts'
import type { KeyScope } from '#core/api-key/scopes.ts'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import { createIds } from '#platform/ids.ts'
import { createPasswords } from '#platform/password.ts'
import { ANONYMOUS, LOCAL_ACTOR } from '#services/auth/authenticator.ts'
import { auditOf, type Identity } from '#services/auth/identity.ts'
import type { UserPatch, UserRow } from '#store/users.ts'

export const SECRET = 'the secret of the tests, longer than 32 bytes'
export const PASSWORD = 'correct horse battery staple'

export interface TestKey {
  id: string
  token: string
  headers: { authorization: string }
}

const ids = createIds()
let hash: Promise<string> | undefined

/** An active user with the password of the tests; a viewer of the default workspace unless told otherwise. */
export async function addUser(
  { identity }: { identity: Partial<Identity> & Pick<Identity, 'users'> },
  rights: UserPatch & { account_id?: string; email?: string } = {},
): Promise<UserRow> {
  hash ??= createPasswords().hash(PASSWORD)
  const { account_id = LOCAL_ACTOR.account_id, email, ...patch } = rights
  const id = ids.next('user')
  const ctx = { ids, clock: Date.now, workspace_id: DEFAULT_WORKSPACE_ID, actor: ANONYMOUS, channel: 'system' as const }
  const audit = auditOf(ctx, { category: 'admin', action: 'user.invited', user_id: id })
  await identity.users.invite(
    {
      id,
      account_id,
      email: email ?? `${id}@example.test`,
      display_name: null,
      roles: ['viewer'],
      approval_roles: [],
      scopes: [],
      workspaces: [DEFAULT_WORKSPACE_ID],
      invite_hash: 'f'.repeat(64),
      invite_expires_at: '2099-01-01T00:00:00.000Z',
      invited_by: LOCAL_ACTOR.id,
    },
    audit,
  )
  const active = { status: 'active' as const, password_hash: await hash, invite_hash: null, invite_expires_at: null }
  const row = await identity.users.change(id, () => ({ patch: { ...active, ...patch }, audit }))
  if (row === undefined) throw new Error('the user was not made')
  return row
}

/** The header of a user who has signed in. */
export async function bearer(
  { identity }: { identity: Pick<Identity, 'tokens'> },
  user: UserRow,
  clientId?: string,
): Promise<{ authorization: string }> {
  if (identity.tokens === undefined) throw new Error('authentication is off in this test')
  const { token } = await identity.tokens.issue(user, user.scopes, clientId)
  return { authorization: `Bearer ${token}` }
}

/** An API key of a service account, good for reading unless told otherwise. */
export async function addApiKey(
  { identity }: Pick<ApiDeps, 'identity'>,
  accountId: string,
  {
    days = 90,
    ...given
  }: { scopes?: KeyScope[]; workspace_id?: string; days?: number; daily_cap_micro_usd?: number } = {},
): Promise<TestKey> {
  const id = ids.next('api_key')
  const token = `svc_${randomBytes(32).toString('base64url')}`
  const account = await identity.users.find(accountId)
  const ctx = { ids, clock: Date.now, workspace_id: DEFAULT_WORKSPACE_ID, actor: ANONYMOUS, channel: 'system' as const }
  await identity.keys.create(
    {
      id,
      account_id: account?.account_id ?? '',
      user_id: accountId,
      name: 'a key of the tests',
      prefix: token.slice(0, 12),
      scopes: given.scopes ?? ['runs:read'],
      workspace_id: given.workspace_id ?? null,
      daily_cap_micro_usd: given.daily_cap_micro_usd ?? null,
      created_by: LOCAL_ACTOR.id,
      hash: createHash('sha256').update(token).digest('hex'),
      days,
    },
    auditOf(ctx, { category: 'admin', action: 'api_key.created', user_id: accountId }),
  )
  return { id, token, headers: { authorization: `Bearer ${token}` } }
}
