import { describe, expect, it } from 'vitest'
import { testApi } from '#test/support/api-client.ts'
import { testDatabase } from '#test/support/file-fixture.ts'
import { itIsGuarded } from '#test/support/guarded-operation.ts'
import { PATIENCE } from '#test/support/patience.ts'
import { addUser, bearer, PASSWORD, SECRET } from '#test/support/users.ts'

itIsGuarded('closeSession')

const SESSION = '/console/api/session'

const database = testDatabase()
const api = testApi(database, { secret: SECRET })

async function session(email: string) {
  const answer = await api.post(SESSION, { email, password: PASSWORD })
  const { csrf } = (await answer.json()) as { csrf: string }
  return { cookie: answer.headers.getSetCookie()[0]?.split(';', 1)[0] ?? '', 'x-svc-csrf': csrf }
}
const leave = (headers: Record<string, string>) => api.app.request(SESSION, { method: 'DELETE', headers })
const status = async (headers: Record<string, string>) => (await api.get('/runs', headers)).status

describe('DELETE /console/api/session', () => {
  it('takes the cookie away, and a copy of it is good for nothing afterwards; other sessions and tokens go on', async () => {
    const ann = await addUser(api.deps)
    const [mine, other] = [await session(ann.email), await session(ann.email)]
    const token = await bearer(api.deps, ann)
    const answer = await leave({ ...mine, 'sec-fetch-site': 'same-origin' })
    expect([answer.status, answer.headers.getSetCookie()[0]]).toEqual([
      204,
      expect.stringMatching(/^svc_session=; Max-Age=0/),
    ])
    await expect.poll(() => status(mine), PATIENCE).toBe(401)
    expect([await status(other), await status(token), await status(await session(ann.email))]).toEqual([200, 200, 200])
  })

  it('ends nothing with a bearer token', async () => {
    const ann = await addUser(api.deps)
    const [mine, token] = [await session(ann.email), await bearer(api.deps, ann)]
    expect((await leave(token)).status).toBe(204)
    expect([await status(mine), await status(token)]).toEqual([200, 200])
  })

  it('lets no other site sign anybody out', async () => {
    const ann = await addUser(api.deps)
    const mine = await session(ann.email)
    const { cookie } = mine
    expect((await leave({ cookie })).status).toBe(401)
    expect((await leave({ ...mine, 'sec-fetch-site': 'cross-site' })).status).toBe(401)
    expect(await status(mine)).toBe(200)
  })
})
