import { beforeEach, describe, expect, it } from 'vitest'
import { type TestApi, testApi } from '#test/support/api-client.ts'
import { testAuthApi } from '#test/support/auth-api.ts'
import { testDatabase } from '#test/support/file-fixture.ts'
import { itIsGuarded } from '#test/support/guarded-operation.ts'
import { addUser, bearer } from '#test/support/users.ts'

itIsGuarded('getAuthStatus')

const database = testDatabase()
const api = testAuthApi(database)
const open = testApi(database)
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
