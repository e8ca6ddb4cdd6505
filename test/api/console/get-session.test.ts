import { describe, expect, it } from 'vitest'
import { createSessions } from '#platform/sessions.ts'
import { createTestApi, testApi } from '#test/support/api-client.ts'
import { testDatabase } from '#test/support/file-fixture.ts'
import { itIsGuarded } from '#test/support/guarded-operation.ts'
import { addUser, PASSWORD, SECRET } from '#test/support/users.ts'

itIsGuarded('getSession')

const SESSION = '/console/api/session'
const HOUR_MS = 3_600_000

const database = testDatabase()
const api = testApi(database, { secret: SECRET })

describe('GET /console/api/session', () => {
  it('says who is signed in, keeps the value of the header, and renews the cookie', async () => {
    const ann = await addUser(api.deps)
    const opened = await api.post(SESSION, { email: ann.email, password: PASSWORD })
    const { csrf } = (await opened.json()) as { csrf: string }
    const cookie = opened.headers.getSetCookie()[0]?.split(';', 1)[0] ?? ''
    const answer = await api.get(SESSION, { cookie })
    expect(await answer.json()).toMatchObject({ authentication: 'on', user: { id: ann.id }, csrf })
    expect(answer.headers.getSetCookie()[0]).toMatch(/^svc_session=/)
    const elsewhere = await api.get(SESSION, { cookie, 'sec-fetch-site': 'cross-site' })
    expect(await elsewhere.json()).toMatchObject({ user: null, csrf: null })
    expect(elsewhere.headers.getSetCookie(), 'another site signs nobody out').toEqual([])
  })

  it('says nobody, and takes away what is good for nothing', async () => {
    const nobody = { authentication: 'on', user: null, csrf: null, expires_at: null }
    expect(await (await api.get(SESSION)).json()).toEqual(nobody)
    const answer = await api.get(SESSION, { cookie: 'svc_session=made.up.value' })
    expect(await answer.json()).toEqual(nobody)
    expect(answer.headers.getSetCookie()[0]).toMatch(/^svc_session=; Max-Age=0/)
  })

  it('signs nobody out whom it cannot look up at the moment', async () => {
    const ann = await addUser(api.deps)
    const opened = await api.post(SESSION, { email: ann.email, password: PASSWORD })
    const cookie = opened.headers.getSetCookie()[0]?.split(';', 1)[0] ?? ''
    const person = api.deps.auth.person
    api.deps.auth.person = () => Promise.reject(new Error('the database is away'))
    const answer = await api.get(SESSION, { cookie })
    api.deps.auth.person = person
    expect([answer.status, answer.headers.getSetCookie()]).toEqual([500, []])
    expect(await (await api.get(SESSION, { cookie })).json()).toMatchObject({ user: { id: ann.id } })
  })

  it('says where authentication is off that everybody is the local owner', async () => {
    const open = await createTestApi(database)
    const answer = await open.get(SESSION)
    await open.close()
    expect(await answer.json()).toMatchObject({ authentication: 'off', user: { id: 'usr_local' }, csrf: null })
  })

  it('leads to the Web UI of Temporal, where there is one, only who may administer all workspaces', async () => {
    const env = { SVC_TEMPORAL_UI_URL: 'https://temporal.example.test/ui/', TEMPORAL_NAMESPACE: 'blue' }
    const shown = await createTestApi(database, { secret: SECRET, env })
    const seen = async (at: typeof shown, rights: { roles: string[]; workspaces?: string[] }) => {
      const { email } = await addUser(at.deps, rights)
      const opened = await at.post(SESSION, { email, password: PASSWORD })
      const cookie = opened.headers.getSetCookie()[0]?.split(';', 1)[0] ?? ''
      const renewed = await at.get(SESSION, { cookie })
      const [first, later] = (await Promise.all([opened.json(), renewed.json()])) as { temporal_workflows?: string }[]
      expect(later?.temporal_workflows).toBe(first?.temporal_workflows)
      return first?.temporal_workflows
    }
    const address = 'https://temporal.example.test/ui/namespaces/blue/workflows/'
    expect(await seen(shown, { roles: ['admin'], workspaces: ['*'] })).toBe(address)
    for (const rights of [{ roles: ['admin'] }, { roles: ['operator'] }, { roles: ['auditor'], workspaces: ['*'] }])
      expect(await seen(shown, rights)).toBeUndefined()
    await shown.close()
    expect(await seen(api, { roles: ['admin'], workspaces: ['*'] }), 'nothing serves it').toBeUndefined()
  })

  it('renews a session for twelve hours after its sign-in and no longer', async () => {
    let now = Date.parse('2026-01-05T08:00:00Z')
    const sessions = createSessions({ secret: SECRET, idle_ms: HOUR_MS, clock: () => now })
    let { value } = await sessions.open({ id: 'usr_1', token_version: 1 })
    for (let hour = 0; hour < 24; hour += 1) {
      now += HOUR_MS - 60_000
      const claims = await sessions.verify(value)
      if (claims === undefined) break
      value = (await sessions.renew(claims)).value
    }
    expect(new Date(now).toISOString()).toMatch(/^2026-01-05T(20|21):/)
  })

  it('forgets a session that nobody uses', async () => {
    let now = Date.parse('2026-01-05T08:00:00Z')
    const sessions = createSessions({ secret: SECRET, idle_ms: HOUR_MS, clock: () => now })
    const { value } = await sessions.open({ id: 'usr_1', token_version: 1 })
    now += HOUR_MS + 1_000
    expect(await sessions.verify(value)).toBeUndefined()
  })
})
