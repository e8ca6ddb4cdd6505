import { beforeAll, describe, expect, it } from 'vitest'
import type { UserRow } from '#store/users.ts'
import { testApi } from '#test/support/api-client.ts'
import { testDatabase } from '#test/support/file-fixture.ts'
import { itIsGuarded } from '#test/support/guarded-operation.ts'
import { afterFiveSignIns, itRefuses } from '#test/support/refused-operation.ts'
import { admitTestRun } from '#test/support/test-runs.ts'
import { addApiKey, addUser, PASSWORD, SECRET } from '#test/support/users.ts'

itIsGuarded('signIn')

let ann: UserRow
let stranger: UserRow

const database = testDatabase()
const api = testApi(database, { secret: SECRET })
const open = testApi(database)
beforeAll(async () => {
  ann = await addUser(api.deps)
  stranger = await addUser(api.deps, { workspaces: [`ws_${'9'.repeat(26)}`] })
})

const BROWSER = { accept: 'text/html,*/*;q=0.8' }

const signIn = (fields: Record<string, string>, headers: Record<string, string> = {}, at = api) =>
  at.app.request('/sign-in', {
    method: 'POST',
    body: new URLSearchParams(fields).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...BROWSER, ...headers },
  })
const cookieOf = (response: Response) => response.headers.getSetCookie()[0]?.split(';', 1)[0] ?? ''
const WRONG = { email: 'guessed@example.test', password: 'something else', next: '/' }

itRefuses('signIn', () => ({ api }), [
  [403, 'forbidden', () => () => signIn(WRONG, { 'sec-fetch-site': 'cross-site' })],
  [429, 'rate_limited', () => afterFiveSignIns(api, () => signIn(WRONG))],
  [501, 'not_configured', () => () => signIn(WRONG, {}, open)],
])

describe('POST /sign-in', () => {
  it('leads back to the run, whose page then shows it, and its cookie opens nothing else', async () => {
    const path = `/runs/${await admitTestRun(api)}`
    const first = await api.get(path, BROWSER)
    expect(first.status).toBe(401)
    expect(await first.text()).toContain(`<input type="hidden" name="next" value="${path}">`)
    const response = await signIn({ email: ann.email, password: PASSWORD, next: path })
    expect([response.status, response.headers.get('location')]).toEqual([303, path])
    expect(response.headers.getSetCookie()[0]).toMatch(/HttpOnly; SameSite=Lax/)
    const cookie = cookieOf(response)
    const page = await api.get(path, { ...BROWSER, cookie })
    expect(page.status).toBe(200)
    expect(await page.text()).toContain(path.slice('/runs/'.length))
    for (const other of ['/runs', '/auth/me', `${path}/events`])
      expect((await api.get(other, { ...BROWSER, cookie })).status).toBe(401)
    expect((await api.get(path, { cookie, accept: 'application/json' })).status).toBe(401)
    const forged = await api.get(path, { ...BROWSER, cookie, authorization: 'Bearer forged' })
    expect(forged.status, 'a header wins over the cookie').toBe(401)
    const cancel = await api.app.request(`${path}/cancel`, { method: 'POST', headers: { ...BROWSER, cookie } })
    expect(cancel.status).toBe(401)
  })

  it('is for people: a key in the place of the cookie opens no page', async () => {
    const robot = await addUser(api.deps, { roles: ['service'] })
    const { token } = await addApiKey(api.deps, robot.id, { scopes: ['runs:start'] })
    const response = await api.get(`/runs/${await admitTestRun(api)}`, { ...BROWSER, cookie: `svc_reader=${token}` })
    expect(response.status).toBe(401)
  })

  it('says on the page that a password is wrong, and leads to no other site', async () => {
    for (const next of ['https://evil.example/', '//evil.example', '/\\evil.example']) {
      const response = await signIn({ email: ann.email, password: PASSWORD, next })
      expect(response.headers.get('location')).toBe('/')
    }
    const wrong = await signIn({ email: ann.email, password: 'something else', next: '/' })
    expect(wrong.status).toBe(401)
    expect(await wrong.text()).toMatch(/role="alert"/)
  })

  it('takes no form of another site', async () => {
    const fields = { email: ann.email, password: PASSWORD, next: '/' }
    expect((await signIn(fields, { 'sec-fetch-site': 'cross-site' })).status).toBe(403)
    for (const origin of ['https://evil.example', 'http://svc.test.evil.example', 'no address'])
      expect((await signIn(fields, { host: 'svc.test', origin })).status).toBe(403)
    expect((await signIn(fields, { host: 'svc.test', origin: 'http://svc.test' })).status).not.toBe(403)
  })

  it('shows a stranger to the workspace the page of a run that never was', async () => {
    const path = `/runs/${await admitTestRun(api)}`
    const cookie = cookieOf(await signIn({ email: stranger.email, password: PASSWORD, next: path }))
    const [real, made_up] = await Promise.all(
      [path, `/runs/run_${'0'.repeat(26)}`].map(async (each) => {
        const response = await api.get(each, { ...BROWSER, cookie })
        return [response.status, await response.text()]
      }),
    )
    expect(real).toEqual(made_up)
    expect(real?.[0]).toBe(404)
  })
})
