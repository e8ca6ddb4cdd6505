import { expect, test } from 'vitest'
import { z } from 'zod'
import { ApiKey } from '#core/api-key/schema.ts'
import { testApi } from '#test/support/api-client.ts'
import { testDatabase } from '#test/support/file-fixture.ts'
import { itIsGuarded, sharedWorld } from '#test/support/guarded-operation.ts'
import { itRefuses, likeItsExample } from '#test/support/refused-operation.ts'
import { addApiKey, addUser, bearer, SECRET } from '#test/support/users.ts'

itIsGuarded('listApiKeys')
itRefuses('listApiKeys', sharedWorld, [[400, 'invalid_cursor', likeItsExample({ query: { cursor: 'nonsense' } })]])

const database = testDatabase()
const api = testApi(database, { secret: SECRET })

test('lists the keys of the account alone, newest first, with what became of them and no secret', async () => {
  const owner = await bearer(api.deps, await addUser(api.deps, { roles: ['owner'], workspaces: ['*'] }))
  const robot = await addUser(api.deps, { roles: ['service'] })
  const foreign = await addUser(api.deps, { roles: ['service'], account_id: 'acc_other' })
  await addApiKey(api.deps, foreign.id)
  const [used, revoked, expired] = [
    await addApiKey(api.deps, robot.id),
    await addApiKey(api.deps, robot.id),
    await addApiKey(api.deps, robot.id),
  ]
  expect((await api.get('/runs', used.headers)).status).toBe(200)
  expect((await api.app.request(`/admin/api-keys/${revoked.id}`, { method: 'DELETE', headers: owner })).status).toBe(
    204,
  )
  await database.db`
    update api_keys set created_at = created_at - interval '2 days', expires_at = now() where id = ${expired.id}`

  const answer = await api.get('/admin/api-keys', owner)
  const text = await answer.text()
  expect(answer.headers.get('x-total-count')).toBe('3')
  const listed = z.array(ApiKey).parse(JSON.parse(text))
  expect(listed.map(({ id, status }) => [id, status])).toEqual([
    [revoked.id, 'revoked'],
    [used.id, 'active'],
    [expired.id, 'expired'],
  ])
  expect(listed[1]?.last_used_at).toBeDefined()
  expect(listed[0]?.last_used_at).toBeUndefined()
  for (const { token } of [used, revoked, expired]) expect(text).not.toContain(token.slice(12))
  const [row] = await database.db<{ hash: string }[]>`select hash from api_keys where id = ${used.id}`
  expect(text).not.toContain(row?.hash)

  const first = await api.get('/admin/api-keys?limit=1', owner)
  const next = /<([^>]+)>; rel="next"/.exec(first.headers.get('link') ?? '')?.[1] ?? ''
  expect(z.array(ApiKey).parse(await (await api.get(next, owner)).json())[0]?.id).toBe(used.id)
})
