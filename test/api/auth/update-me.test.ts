import { beforeEach, describe, expect, it } from 'vitest'
import { User } from '#core/user/schema.ts'
import { testApi } from '#test/support/api-client.ts'
import { codeOf, testAuthApi } from '#test/support/auth-api.ts'
import { testDatabase } from '#test/support/file-fixture.ts'
import { itIsGuarded } from '#test/support/guarded-operation.ts'
import { itRefuses } from '#test/support/refused-operation.ts'
import { addUser, bearer } from '#test/support/users.ts'

itIsGuarded('updateMe')

const database = testDatabase()
const api = testAuthApi(database)
const open = testApi(database)
beforeEach(() => api.forget())

const NAMED = {
  method: 'PATCH',
  body: JSON.stringify({ display_name: 'x' }),
  headers: { 'content-type': 'application/json' },
}

itRefuses('updateMe', () => ({ api: open }), [[501, 'not_configured', () => () => open.app.request('/auth/me', NAMED)]])

describe('PATCH /auth/me', () => {
  it('lets a person name a delegate of the same account who can sign in', async () => {
    const [user, delegate] = [await addUser(api.deps), await addUser(api.deps)]
    const disabled = await addUser(api.deps, { status: 'disabled' })
    const foreign = await addUser(api.deps, { account_id: 'acc_foreign' })
    const header = await bearer(api.deps, user)
    const until = '2099-01-01T02:00:00+02:00'
    const answer = await api.patch('/auth/me', { out_of_office_until: until, delegate_to: delegate.id }, header)
    expect(User.parse(await answer.json())).toMatchObject({
      delegate_to: delegate.id,
      out_of_office_until: '2099-01-01T00:00:00.000Z',
    })
    for (const { id } of [user, disabled, foreign, { id: 'usr_00000000000000000000000000' }]) {
      expect(await codeOf(await api.patch('/auth/me', { delegate_to: id }, header))).toEqual([422, 'validation_failed'])
    }
    const back = await api.patch('/auth/me', { out_of_office_until: null, delegate_to: null }, header)
    expect(User.parse(await back.json()).delegate_to).toBeUndefined()
  })

  it('cannot be used to gain a role', async () => {
    const header = await bearer(api.deps, await addUser(api.deps))
    for (const gain of [{ roles: ['owner'] }, { workspaces: ['*'] }, { scopes: ['a:b'] }, { status: 'active' }]) {
      expect((await api.patch('/auth/me', gain, header)).status).toBe(422)
    }
  })
})
