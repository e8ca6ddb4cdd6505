import { beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { User } from '#core/user/schema.ts'
import { codeOf, testAuthApi } from '#test/support/auth-api.ts'
import { testDatabase } from '#test/support/file-fixture.ts'
import { itIsGuarded } from '#test/support/guarded-operation.ts'
import { addUser, bearer } from '#test/support/users.ts'

itIsGuarded('listUsers')

const database = testDatabase()
const api = testAuthApi(database)
beforeEach(() => api.forget())

describe('GET /admin/users', () => {
  it('pages through every user of the account once, newest first', async () => {
    const account_id = 'acc_paging'
    const header = await bearer(api.deps, await addUser(api.deps, { account_id, roles: ['owner'], workspaces: ['*'] }))
    for (let n = 0; n < 4; n += 1) await addUser(api.deps, { account_id })
    const seen: string[] = []
    let path: string | undefined = '/admin/users?limit=2'
    while (path !== undefined) {
      const answer: Response = await api.get(path, header)
      expect(answer.headers.get('x-total-count')).toBe('5')
      seen.push(
        ...z
          .array(User)
          .parse(await answer.json())
          .map((user) => user.id),
      )
      path = /<([^>]+)>; rel="next"/.exec(answer.headers.get('link') ?? '')?.[1]
    }
    expect(seen).toEqual([...new Set(seen)].toSorted().reverse())
    expect(seen.length).toBe(5)
    expect(await codeOf(await api.get('/admin/users?cursor=x', header))).toEqual([400, 'invalid_cursor'])
  })
})
