import { expect, it } from 'vitest'
import { User } from '#core/user/schema.ts'
import { testApi } from '#test/support/api-client.ts'
import { codeOf, testAuthApi } from '#test/support/auth-api.ts'
import { testDatabase } from '#test/support/file-fixture.ts'
import { itIsGuarded } from '#test/support/guarded-operation.ts'
import { itRefuses } from '#test/support/refused-operation.ts'
import { addUser, bearer } from '#test/support/users.ts'

itIsGuarded('removeAnsweringAccount')

const database = testDatabase()
const api = testAuthApi(database)
const open = testApi(database)

const NOBODY = '/auth/me/answering-accounts/usr_00000000000000000000000000'

itRefuses('removeAnsweringAccount', () => ({ api: open }), [
  [501, 'not_configured', () => () => open.app.request(NOBODY, { method: 'DELETE' })],
])

const ACCOUNT = { roles: ['service'], scopes: ['approvals:on_behalf'] }

it('takes the name back, also of an account that has lost its scope', async () => {
  const account = await addUser(api.deps, ACCOUNT)
  const user = await addUser(api.deps, { roles: ['approver'], answering_accounts: [account.id] })
  const headers = await bearer(api.deps, user)
  await api.deps.identity.users.change(account.id, () => ({
    patch: { scopes: [] },
    audit: { ...DRAFT, id: `aud_${account.id.slice(4)}` },
  }))
  const path = `/auth/me/answering-accounts/${account.id}`
  const removed = await api.app.request(path, { method: 'DELETE', headers })
  expect([removed.status, User.parse(await removed.json()).answering_accounts]).toEqual([200, undefined])
  expect(await codeOf(await api.app.request(path, { method: 'DELETE', headers }))).toEqual([404, 'not_found'])
})

const DRAFT = {
  ts: '2026-01-01T00:00:00.000Z',
  workspace_id: 'ws_00000000000000000000000000',
  category: 'admin',
  action: 'user.changed',
  actor: { type: 'system', id: 'test', auth: 'none' },
  channel: 'system',
  subject: { type: 'user', id: 'x' },
  data: {},
} as const
