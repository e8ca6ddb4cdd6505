import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest'
import { createTestApi, type TestApi } from '#test/support/api-client.ts'
import { type AuthApi, createAuthApi } from '#test/support/auth-api.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { itIsGuarded } from '#test/support/guarded-operation.ts'
import { addUser, bearer } from '#test/support/users.ts'

itIsGuarded('getAuthStatus')

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

describe('GET /auth/status', () => {
  it('says whether authentication is on and whether this caller has signed in', async () => {
    const user = await addUser(api.deps)
    const status = async (at: Pick<TestApi, 'get'>, headers = {}) => (await at.get('/auth/status', headers)).json()
    expect(await status(open)).toEqual({ enabled: false, scheme: null, authenticated: false })
    expect(await status(api)).toEqual({ enabled: true, scheme: 'bearer', authenticated: false })
    expect(await status(api, { authorization: 'Bearer x.y.z' })).toMatchObject({ authenticated: false })
    expect(await status(api, await bearer(api.deps, user))).toMatchObject({ authenticated: true })
  })
})
