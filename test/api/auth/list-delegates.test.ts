import { beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import { Delegate } from '#core/user/schema.ts'
import { testAuthApi } from '#test/support/auth-api.ts'
import { testDatabase } from '#test/support/file-fixture.ts'
import { itIsGuarded } from '#test/support/guarded-operation.ts'
import { addWorkspace } from '#test/support/tenants.ts'
import { addUser, bearer } from '#test/support/users.ts'

itIsGuarded('listDelegates')

const OTHER = 'ws_0000000000000000000000000b'

describe('GET /auth/delegates', () => {
  const database = testDatabase()
  beforeAll(() => addWorkspace(database, OTHER, 'other'))
  const api = testAuthApi(database)

  it('names whom the caller meets and who can sign in, by name, and nobody else', async () => {
    const here = { roles: ['approver'], workspaces: [DEFAULT_WORKSPACE_ID] }
    const ann = await addUser(api.deps, { ...here, display_name: 'Ann' })
    const zoe = await addUser(api.deps, { ...here, display_name: 'Zoe' })
    const bob = await addUser(api.deps, { roles: ['admin'], workspaces: ['*'], display_name: 'bob' })
    await addUser(api.deps, { ...here, status: 'disabled' })
    await addUser(api.deps, { roles: ['service', 'approver'], workspaces: [DEFAULT_WORKSPACE_ID] })
    await addUser(api.deps, { ...here, account_id: 'acc_foreign' })
    const cid = await addUser(api.deps, { roles: ['approver'], workspaces: [OTHER], display_name: 'Cid' })
    const seenBy = async (user: typeof ann) => {
      const answer = await api.app.request('/auth/delegates', { headers: await bearer(api.deps, user) })
      return z.array(Delegate).parse(await answer.json())
    }
    expect(await seenBy(ann)).toEqual([
      { id: bob.id, display: 'bob', email: bob.email },
      { id: zoe.id, display: 'Zoe', email: zoe.email },
    ])
    expect((await seenBy(cid)).map(({ id }) => id)).toEqual([bob.id])
    for (const { id } of await seenBy(ann)) {
      const answer = await api.patch('/auth/me', { delegate_to: id }, await bearer(api.deps, ann))
      expect(answer.status, 'anyone who is listed can be named').toBe(200)
    }
  })
})
