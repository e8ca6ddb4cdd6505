import { beforeEach, expect, test } from 'vitest'
import { createTestApi } from '#test/support/api-client.ts'
import { codeOf, testAuthApi } from '#test/support/auth-api.ts'
import { testDatabase } from '#test/support/file-fixture.ts'
import { itIsGuarded } from '#test/support/guarded-operation.ts'
import { admitTestRun } from '#test/support/test-runs.ts'
import { addApiKey, addUser, bearer, SECRET } from '#test/support/users.ts'

itIsGuarded('revokeApiKey')

const database = testDatabase()
const api = testAuthApi(database)
beforeEach(() => api.forget())

const revoke = async (id: string, headers: Record<string, string>) =>
  await api.app.request(`/admin/api-keys/${id}`, { method: 'DELETE', headers })

test('a revoked key lets nobody in from the answer on, in no process, and its end is on record once', async () => {
  const other = await createTestApi(database, { secret: SECRET })
  const owner = await bearer(api.deps, await api.owner())
  const robot = await addUser(api.deps, { roles: ['service'] })
  const key = await addApiKey(api.deps, robot.id)
  for (const each of [api, other]) expect((await each.get('/runs', key.headers)).status).toBe(200)
  expect((await revoke(key.id, owner)).status).toBe(204)
  for (const each of [other, api]) {
    const refused = await each.get('/runs', key.headers)
    expect(await codeOf(refused)).toEqual([401, 'unauthenticated'])
  }
  expect((await revoke(key.id, owner)).status).toBe(204)
  await other.settled()
  await api.settled()
  const actions = (await api.audited({ id: key.id })).map(({ action }) => action)
  expect(actions).toEqual(['api_key.revoked', 'api_key.refused'])
  await other.close()
})

test('an admin of one workspace revokes no key of an account that reaches further, and none of another account', async () => {
  const admin = await bearer(api.deps, await addUser(api.deps, { roles: ['admin'] }))
  const wide = await addUser(api.deps, { roles: ['service', 'admin'], workspaces: ['*'] })
  const foreign = await addUser(api.deps, { roles: ['service'], account_id: 'acc_other' })
  const [far, other] = [await addApiKey(api.deps, wide.id), await addApiKey(api.deps, foreign.id)]
  expect(await codeOf(await revoke(far.id, admin))).toEqual([403, 'forbidden'])
  expect(await codeOf(await revoke(other.id, admin))).toEqual([404, 'not_found'])
  expect((await api.get('/runs', far.headers)).status).toBe(200)
})

test('a stream that a key opened ends within a second of its end', async () => {
  const owner = await bearer(api.deps, await api.owner())
  const key = await addApiKey(api.deps, (await addUser(api.deps, { roles: ['service'] })).id)
  const run = await admitTestRun(api)
  const stream = await api.get(`/runs/${run}/stream`, key.headers)
  expect(stream.status).toBe(200)
  const ended = (stream.body ?? new ReadableStream()).pipeTo(new WritableStream()).then(() => performance.now())
  expect((await revoke(key.id, owner)).status).toBe(204)
  const revoked = performance.now()
  expect((await ended) - revoked).toBeLessThan(1_500)
  expect(api.deps.hub.openStreams()).toBe(0)
})
