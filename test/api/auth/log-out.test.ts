import { beforeEach, describe, expect, it } from 'vitest'
import { testAuthApi } from '#test/support/auth-api.ts'
import { testDatabase } from '#test/support/file-fixture.ts'
import { itIsGuarded } from '#test/support/guarded-operation.ts'
import { addUser, bearer } from '#test/support/users.ts'

itIsGuarded('logOut')

const database = testDatabase()
const api = testAuthApi(database)
beforeEach(() => api.forget())

describe('POST /auth/logout', () => {
  it('ends every token of the caller within seconds, and nobody else’s', async () => {
    const [user, other] = [await addUser(api.deps), await addUser(api.deps)]
    const headers = [await bearer(api.deps, user), await bearer(api.deps, user)]
    expect((await api.post('/auth/logout', {}, headers[0])).status).toBe(204)
    api.wait(5_001)
    for (const header of headers) expect((await api.get('/auth/me', header)).status).toBe(401)
    expect((await api.get('/auth/me', await bearer(api.deps, other))).status).toBe(200)
    expect((await api.audited(user)).at(-1)?.action).toBe('token.revoked')
  })
})
