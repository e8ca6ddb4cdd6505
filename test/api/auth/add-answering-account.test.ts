import { expect, it } from 'vitest'
import { User } from '#core/user/schema.ts'
import { testApi } from '#test/support/api-client.ts'
import { codeOf, testAuthApi } from '#test/support/auth-api.ts'
import { testDatabase } from '#test/support/file-fixture.ts'
import { itIsGuarded } from '#test/support/guarded-operation.ts'
import { itRefuses } from '#test/support/refused-operation.ts'
import { addUser, bearer } from '#test/support/users.ts'

itIsGuarded('addAnsweringAccount')

const database = testDatabase()
const api = testAuthApi(database)
const open = testApi(database)

const NOBODY = '/auth/me/answering-accounts/usr_00000000000000000000000000'

itRefuses('addAnsweringAccount', () => ({ api: open }), [
  [501, 'not_configured', () => () => open.app.request(NOBODY, { method: 'PUT' })],
])

const ACCOUNT = { roles: ['service'], scopes: ['approvals:on_behalf'] }

it('names only what could answer: an account at work with the scope, in a workspace of the caller', async () => {
  const user = await addUser(api.deps, { roles: ['approver'] })
  const headers = await bearer(api.deps, user)
  const put = async (id: string) =>
    await api.app.request(`/auth/me/answering-accounts/${id}`, { method: 'PUT', headers })
  const account = await addUser(api.deps, ACCOUNT)
  for (let again = 0; again < 2; again += 1) {
    const answer = await put(account.id)
    expect([answer.status, User.parse(await answer.json()).answering_accounts]).toEqual([200, [account.id]])
  }
  const others = [
    user,
    await addUser(api.deps, { roles: ['approver'] }),
    await addUser(api.deps, { roles: ['service'] }),
    await addUser(api.deps, { ...ACCOUNT, status: 'disabled' }),
    await addUser(api.deps, { ...ACCOUNT, account_id: 'acc_foreign' }),
    await addUser(api.deps, { ...ACCOUNT, workspaces: ['ws_7zzzzzzzzzzzzzzzzzzzzzzzzz'] }),
  ]
  for (const { id } of others) expect(await codeOf(await put(id))).toEqual([404, 'not_found'])
  const added = (await api.audited(user)).filter(({ action }) => action === 'user.answering_account_added')
  expect(added[0]).toMatchObject({ actor: { id: user.id }, data: { account: account.id } })
})

it('names twenty accounts at most', async () => {
  const accounts = await Promise.all(Array.from({ length: 21 }, () => addUser(api.deps, ACCOUNT)))
  const [last, ...others] = accounts.map(({ id }) => id)
  const headers = await bearer(api.deps, await addUser(api.deps, { roles: ['approver'], answering_accounts: others }))
  const put = (id = '') => api.app.request(`/auth/me/answering-accounts/${id}`, { method: 'PUT', headers })
  expect(await codeOf(await put(last))).toEqual([409, 'conflict'])
  expect((await put(others[0])).status).toBe(200)
})
