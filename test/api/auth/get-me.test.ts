import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest'
import { User } from '#core/user/schema.ts'
import { createTestApi, type TestApi } from '#test/support/api-client.ts'
import { type AuthApi, createAuthApi } from '#test/support/auth-api.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { itIsGuarded } from '#test/support/guarded-operation.ts'
import { addUser, bearer } from '#test/support/users.ts'

itIsGuarded('getMe')

let database: TestDatabase
let api: AuthApi
let open: TestApi

beforeAll(async () => {
  database = await createTestDatabase(inject('postgres_url'))
  api = await createAuthApi(database)
  open = await createTestApi(database)
})
afterAll(async () => {
  await api?.close()
  await open?.close()
  await database?.drop()
})
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
