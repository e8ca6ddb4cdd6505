import { beforeEach, describe, expect, it } from 'vitest'
import { User } from '#core/user/schema.ts'
import { testApi } from '#test/support/api-client.ts'
import { testAuthApi } from '#test/support/auth-api.ts'
import { testDatabase } from '#test/support/file-fixture.ts'
import { itIsGuarded } from '#test/support/guarded-operation.ts'
import { addUser, bearer } from '#test/support/users.ts'

itIsGuarded('getMe')

const database = testDatabase()
const api = testAuthApi(database)
const open = testApi(database)
beforeEach(() => api.forget())

describe('GET /auth/me', () => {
  it('is the local owner while authentication is off', async () => {
    const me = User.parse(await (await open.get('/auth/me')).json())
    expect(me).toMatchObject({ id: 'usr_local', account_id: 'acc_local', roles: ['owner'] })
  })

  it('never shows what could let anybody in', async () => {
    const text = await (await api.get('/auth/me', await bearer(api.deps, await addUser(api.deps)))).text()
    expect(text).not.toMatch(/hash|argon|token|bootstrapped/)
  })
})
