import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { CreatedApiKey } from '#core/api-key/schema.ts'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import { createIds } from '#platform/ids.ts'
import type { UserPatch } from '#store/users.ts'
import { testApi } from '#test/support/api-client.ts'
import { codeOf, testAuthApi } from '#test/support/auth-api.ts'
import { testDatabase } from '#test/support/file-fixture.ts'
import { itIsGuarded } from '#test/support/guarded-operation.ts'
import { itRefuses } from '#test/support/refused-operation.ts'
import { addWorkspace } from '#test/support/tenants.ts'
import { addApiKey, addUser, bearer } from '#test/support/users.ts'

itIsGuarded('createApiKey')

const OTHER = createIds().next('workspace')
let owner: Record<string, string>

const database = testDatabase()
const api = testAuthApi(database)
const open = testApi(database)
beforeAll(async () => {
  await addWorkspace(database, OTHER, 'payments')
  owner = await bearer(api.deps, await api.owner())
})
beforeEach(() => api.forget())

itRefuses('createApiKey', () => ({ api: open }), [
  [501, 'not_configured', () => () => open.post('/admin/api-keys', { name: 'x', account: 'robot@example.test' })],
])

const robot = async (rights: UserPatch & { account_id?: string } = {}) =>
  await addUser(api.deps, { roles: ['service'], ...rights })
const create = (body: object, headers = owner) => api.post('/admin/api-keys', body, headers)
async function made(body: object): Promise<CreatedApiKey> {
  const answer = await create(body)
  expect(answer.status).toBe(201)
  return CreatedApiKey.parse(await answer.json())
}

describe('a new key', () => {
  test('is good for reading, for ninety days, and nothing that lets anybody in is kept of it', async () => {
    const account = await robot()
    const answer = await create({ name: 'reports', account: account.email.toUpperCase() })
    expect(answer.headers.get('cache-control')).toBe('no-store')
    const key = CreatedApiKey.parse(await answer.json())
    expect(key).toMatchObject({ account: account.id, scopes: ['runs:read'], status: 'active', name: 'reports' })
    expect(key.token).toMatch(/^svc_[\w-]{43}$/)
    expect(key.prefix).toBe(key.token.slice(0, 12))
    expect(Math.round((Date.parse(key.expires_at) - Date.parse(key.created_at)) / 86_400_000)).toBe(90)
    const rest = key.token.slice(12)
    const kept = await database.db<{ text: string }[]>`
      select row_to_json(k)::text as text from api_keys k union all select draft::text from audit_outbox
      union all select row_to_json(i)::text from idempotency_keys i`
    expect(kept.length).toBeGreaterThan(1)
    expect(kept.filter(({ text }) => text.includes(rest))).toEqual([])
    expect(JSON.stringify(api.lines)).not.toContain(rest)
  })

  test('is on record with its beginning, and who made it for whom', async () => {
    const account = await robot()
    const { id, prefix } = await made({ name: 'reports', account: account.id, expires_in_days: 7 })
    expect(await api.audited({ id })).toEqual([
      expect.objectContaining({
        action: 'api_key.created',
        category: 'admin',
        data: { prefix, account: account.id, name: 'reports', scopes: ['runs:read'], workspace_id: null, days: 7 },
      }),
    ])
  })

  test.each<[string, object, UserPatch, string]>([
    ['of nobody', { account: 'usr_7zzzzzzzzzzzzzzzzzzzzzzzzz' }, {}, '/account'],
    ['of a person', {}, { roles: ['operator'] }, '/account'],
    ['of an account that is disabled', {}, { status: 'disabled' }, '/account'],
    ['for what its account may not do', { scopes: ['admin'] }, {}, '/scopes'],
    ['for people whom its account may not answer for', { scopes: ['approvals:on_behalf'] }, {}, '/scopes'],
    ['of a workspace that is not the account’s', { workspace_id: OTHER }, {}, '/workspace_id'],
    ['for ever', { expires_in_days: 367 }, {}, '/expires_in_days'],
    ['for nothing', { scopes: [] }, {}, '/scopes'],
  ])('is not made %s', async (_, _case, rights, pointer) => {
    const account = await robot(rights)
    const answer = await create({ name: 'x', account: account.id, ..._case })
    const problem = (await answer.json()) as { errors?: { pointer: string }[] }
    expect([answer.status, problem.errors?.[0]?.pointer]).toEqual([422, pointer])
  })

  test('is not made of another account, which answers like one that there is not', async () => {
    const foreign = await robot({ account_id: 'acc_other' })
    const answers = [await create({ name: 'x', account: foreign.id }), await create({ name: 'x', account: 'nobody' })]
    const bodies = await Promise.all(
      answers.map(async (each) => ({ ...((await each.json()) as object), request_id: '' })),
    )
    expect(bodies[0]).toEqual(bodies[1])
  })

  test('is not made by an admin of one workspace for another, nor with a key', async () => {
    const both = await robot({ workspaces: [DEFAULT_WORKSPACE_ID, OTHER] })
    const admin = await addUser(api.deps, { roles: ['admin'], workspaces: [DEFAULT_WORKSPACE_ID] })
    const here = await bearer(api.deps, admin)
    expect(await codeOf(await create({ name: 'x', account: both.id }, here))).toEqual([403, 'forbidden'])
    const bound = { name: 'x', account: both.id, workspace_id: DEFAULT_WORKSPACE_ID }
    expect((await create(bound, here)).status).toBe(201)
    const powerful = await robot({ roles: ['service', 'admin'] })
    const key = await addApiKey(api.deps, powerful.id, { scopes: ['admin', 'runs:read', 'runs:start'] })
    expect(await codeOf(await create({ name: 'x', account: powerful.id }, key.headers))).toEqual([403, 'forbidden'])
  })
})
