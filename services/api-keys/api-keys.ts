import { randomBytes } from 'node:crypto'
import { type ApiKey, type ApiKeyDraft, type CreatedApiKey, KEY_DAYS } from '#core/api-key/schema.ts'
import type { KeyScope } from '#core/api-key/scopes.ts'
import { DomainError } from '#core/errors.ts'
import { capFromUsd, usdText } from '#core/money.ts'
import type { UserRow } from '#store/users.ts'
import { type IdentityContext, tokensOf } from '../auth/identity.ts'
import { circleOf, knows } from '../auth/known-people.ts'
import { may, mayEnter, ON_BEHALF } from '../auth/may.ts'
import { workspacesOf } from '../auth/user-record.ts'
import { invalid, mustReach } from '../auth/user-rules.ts'
import { defineVerb } from '../define-verb.ts'
import { type ListPage, type PageRequest, readPage } from '../list-page.ts'
import { apiKeyAudits, apiKeyRecordsFor, placesOf, toApiKeyRecord } from './api-key-record.ts'

const KEY_BYTES = 32
/** `svc_` and eight characters: enough to tell keys apart, and too little to guess the rest. */
const PREFIX_CHARS = 12

/** Makes a key of a service account. It can never do what the account may not, and only its holder ever has it. */
export const createApiKey = defineVerb(
  { role: 'admin', access: 'write', scope: 'account' },
  async (ctx: IdentityContext, draft: ApiKeyDraft): Promise<CreatedApiKey> => {
    tokensOf(ctx)
    const account = await serviceAccount(ctx, draft.account)
    const scopes = [...new Set(draft.scopes ?? (['runs:read'] as const))]
    const workspace_id = draft.workspace_id ?? null
    const days = draft.expires_in_days ?? KEY_DAYS.usual
    const reach = { roles: account.roles, workspaces: workspace_id === null ? account.workspaces : [workspace_id] }
    mustReach(ctx.actor, reach)
    if (workspace_id !== null && !mayEnter({ workspaces: workspacesOf(account) }, workspace_id))
      throw invalid('/workspace_id', 'the service account does not belong to this workspace')
    for (const scope of scopes) mustHold(account, scope)
    const token = `svc_${randomBytes(KEY_BYTES).toString('base64url')}`
    const key = {
      id: ctx.ids.next('api_key'),
      account_id: account.account_id,
      user_id: account.id,
      name: draft.name,
      prefix: token.slice(0, PREFIX_CHARS),
      scopes,
      workspace_id,
      daily_cap_micro_usd: draft.daily_usd === undefined ? null : capFromUsd(draft.daily_usd),
      created_by: ctx.actor.id,
    }
    const audit = apiKeyAudits(
      ctx,
      'api_key.created',
      { key, account },
      {
        name: draft.name,
        scopes,
        workspace_id,
        days,
        ...(draft.daily_usd !== undefined && { daily_usd: usdText(capFromUsd(draft.daily_usd)) }),
      },
    )
    const row = await ctx.keys.create({ ...key, hash: ctx.sha256(token), days }, audit)
    return { ...toApiKeyRecord(row), token }
  },
)

/** Returns a service account that shares a workspace with the caller and is active. */
async function serviceAccount(ctx: IdentityContext, named: string): Promise<UserRow> {
  const row = named.includes('@') ? await ctx.users.findByEmail(named.toLowerCase()) : await ctx.users.find(named)
  if (row === undefined || !knows(ctx.actor, row)) throw invalid('/account', 'there is no such service account')
  if (!row.roles.includes('service')) throw invalid('/account', 'people sign in; only service accounts have keys')
  if (row.status !== 'active')
    throw invalid(
      '/account',
      `the service account is ${row.status}: make it active first (svc users set <account> --enable, or PATCH /admin/users/{id})`,
    )
  return row
}

/** A scope beyond the account's rights would be misleading. */
function mustHold(account: UserRow, scope: KeyScope): void {
  if (scope === 'admin' && !may({ roles: account.roles, scopes: [] }, 'admin'))
    throw invalid('/scopes', 'admin: the service account has not the role admin')
  if (scope === ON_BEHALF && !account.scopes.includes(ON_BEHALF))
    throw invalid('/scopes', `${ON_BEHALF}: the service account has not this scope`)
}

/** Keys that may be used in the caller's workspaces, also those that have ended, newest first, a page at a time. */
export async function listApiKeys(
  ctx: Pick<IdentityContext, 'actor' | 'keys' | 'users'>,
  input: PageRequest,
): Promise<ListPage<ApiKey>> {
  const circle = circleOf(ctx.actor)
  const page = await readPage(input, {
    prefix: 'key',
    rows: (place) => ctx.keys.list(circle, place),
    count: (up_to) => ctx.keys.count(circle, up_to),
    toItem: (row) => row,
  })
  return { ...page, items: await apiKeyRecordsFor(ctx, page.items) }
}

/** Revokes a key at once, and with it the authority of the runs that were requested with it. A revoked key stays revoked. */
export const revokeApiKey = defineVerb(
  { role: 'admin', access: 'write', scope: 'account' },
  async (ctx: IdentityContext, id: string): Promise<void> => {
    const key = await ctx.keys.find(id)
    const account = key === undefined ? undefined : await ctx.users.find(key.user_id)
    if (key === undefined || account === undefined || !knows(ctx.actor, account))
      throw new DomainError('not_found', 'there is no such key')
    const { workspaces } = placesOf(key, account)
    if (!knows(ctx.actor, { account_id: key.account_id, workspaces }))
      throw new DomainError('not_found', 'a key of another workspace')
    mustReach(ctx.actor, { roles: account.roles, workspaces })
    await ctx.keys.revoke(id, ctx.actor.id, apiKeyAudits(ctx, 'api_key.revoked', { key, account }, { name: key.name }))
  },
)
