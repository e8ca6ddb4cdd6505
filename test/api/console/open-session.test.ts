import { beforeAll, describe, expect, it } from 'vitest'
import { routes } from '#api/registry.ts'
import type { UserRow } from '#store/users.ts'
import { testApi } from '#test/support/api-client.ts'
import { testAuthApi } from '#test/support/auth-api.ts'
import { testDatabase } from '#test/support/file-fixture.ts'
import { itIsGuarded } from '#test/support/guarded-operation.ts'
import { PATIENCE } from '#test/support/patience.ts'
import { afterFiveSignIns, itRefuses } from '#test/support/refused-operation.ts'
import { addApiKey, addUser, bearer, PASSWORD } from '#test/support/users.ts'

itIsGuarded('openSession')

const SESSION = '/console/api/session'
const HERE = { 'sec-fetch-site': 'same-origin' }

let ann: UserRow

const database = testDatabase()
const api = testAuthApi(database)
const open = testApi(database)
beforeAll(async () => {
  ann = await addUser(api.deps)
})

const signIn = (headers: Record<string, string> = HERE, email = ann.email, password = PASSWORD) =>
  api.post(SESSION, { email, password }, headers)

/** The headers of a call that the console makes after a sign-in. */
async function session(email = ann.email): Promise<{ cookie: string; 'x-svc-csrf': string }> {
  const answer = await signIn(HERE, email)
  const { csrf } = (await answer.json()) as { csrf: string }
  return { cookie: answer.headers.getSetCookie()[0]?.split(';', 1)[0] ?? '', 'x-svc-csrf': csrf }
}
const status = async (path: string, headers: Record<string, string>) => (await api.get(path, headers)).status

itRefuses('openSession', () => ({ api }), [
  [403, 'forbidden', () => () => signIn({ 'sec-fetch-site': 'cross-site' })],
  [429, 'rate_limited', () => afterFiveSignIns(api, () => signIn(HERE, 'guessed@example.test', 'something else'))],
  [501, 'not_configured', () => () => open.post(SESSION, { email: ann.email, password: PASSWORD }, HERE)],
])

describe('POST /console/api/session', () => {
  it('gives a cookie that scripts cannot read, and says who is signed in', async () => {
    const answer = await signIn()
    expect(answer.headers.getSetCookie()[0]).toMatch(
      /^svc_session=[\w.-]+; Max-Age=\d+; Path=\/; HttpOnly; SameSite=Strict$/,
    )
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(await answer.json()).toMatchObject({ authentication: 'on', user: { id: ann.id } })
    const [issued] = (await api.audited(ann)).filter(({ action }) => action === 'token.issued')
    expect(issued).toMatchObject({ data: { client_id: 'svc-console' } })
  })

  it('names the cookie so that only this host can have set it, and keeps it to TLS, where people come over TLS', async () => {
    const before = api.deps.public_url
    api.deps.public_url = 'https://svc.example.test/ops'
    const [cookie] = (await signIn()).headers.getSetCookie()
    api.deps.public_url = before
    expect(cookie).toMatch(/^__Host-svc_session=.*; Path=\/; HttpOnly; Secure; SameSite=Strict$/)
  })

  it('says of every wrong sign-in the same, and puts it on record', async () => {
    for (const [email, password] of [
      [ann.email, 'something else'],
      ['nobody@example.test', PASSWORD],
    ] as const) {
      const answer = await signIn(HERE, email, password)
      expect([answer.status, answer.headers.getSetCookie()]).toEqual([401, []])
      expect(await answer.json()).toMatchObject({
        code: 'unauthenticated',
        detail: expect.stringContaining('not right'),
      })
    }
    await api.settled()
    expect((await api.audited(ann)).map(({ action }) => action)).toContain('token.refused')
  })

  it('takes no sign-in of another site, and no form', async () => {
    for (const site of ['cross-site', 'same-site', 'none'])
      expect((await signIn({ 'sec-fetch-site': site })).status).toBe(403)
    expect((await signIn({ host: 'svc.test', origin: 'https://evil.example' })).status).toBe(403)
    const body = new URLSearchParams({ email: ann.email, password: PASSWORD }).toString()
    const form = { 'content-type': 'application/x-www-form-urlencoded', ...HERE }
    expect((await api.app.request(SESSION, { method: 'POST', body, headers: form })).status).toBe(415)
    const text = { 'content-type': 'text/plain', ...HERE }
    const sent = JSON.stringify({ email: ann.email, password: PASSWORD })
    expect((await api.app.request(SESSION, { method: 'POST', body: sent, headers: text })).status).toBe(415)
  })

  it('is for people: no service account and no API key has a session', async () => {
    const robot = await addUser(api.deps, { roles: ['service'] })
    expect((await signIn(HERE, robot.email)).status).toBe(403)
    const { token } = await addApiKey(api.deps, robot.id)
    const { 'x-svc-csrf': csrf } = await session()
    expect(await status('/runs', { cookie: `svc_session=${token}`, 'x-svc-csrf': csrf, ...HERE })).toBe(401)
  })
})

describe('a session', () => {
  it('stands for its user beside the value of its own header, and nowhere without', async () => {
    const [mine, other] = [await session(), await session()]
    expect(await status('/runs', { ...mine, ...HERE })).toBe(200)
    expect(await status('/runs', mine)).toBe(200)
    const { cookie } = mine
    for (const headers of [{ cookie }, { cookie, 'x-svc-csrf': '' }, { cookie, 'x-svc-csrf': other['x-svc-csrf'] }])
      expect(await status('/runs', { ...headers, ...HERE })).toBe(401)
    for (const site of ['cross-site', 'same-site', 'none'])
      expect(await status('/runs', { ...mine, 'sec-fetch-site': site })).toBe(401)
    expect(await status('/runs', { ...mine, origin: 'https://evil.example', host: 'svc.test' })).toBe(401)
  })

  it('gives way to a token, good or not', async () => {
    const other = await addUser(api.deps)
    const mine = await session()
    const me = await api.get('/auth/me', { ...mine, ...(await bearer(api.deps, other)) })
    expect(await me.json()).toMatchObject({ id: other.id })
    expect(await status('/runs', { ...mine, authorization: 'Bearer forged' })).toBe(401)
  })

  it('is no token, and a token is no session', async () => {
    const { cookie, 'x-svc-csrf': csrf } = await session()
    expect(await status('/runs', { authorization: `Bearer ${cookie.slice('svc_session='.length)}` })).toBe(401)
    const { authorization } = await bearer(api.deps, ann)
    const planted = `svc_session=${authorization.slice('Bearer '.length)}`
    expect(await status('/runs', { cookie: planted, 'x-svc-csrf': csrf })).toBe(401)
  })

  it('follows no address that is typed or linked: a page that is asked for sends no header', async () => {
    const { cookie } = await session()
    expect(await status('/runs', { cookie, accept: 'text/html' })).toBe(401)
  })

  it('proves no link and no delivery: what is signed is asked for its signature', async () => {
    const admin = await addUser(api.deps, { roles: ['owner'], workspaces: ['*'] })
    const headers = { ...(await session(admin.email)), ...HERE }
    expect(await status('/auth/me', headers)).toBe(200)
    const signed = routes.filter(({ auth }) => auth === 'signature')
    expect(signed.length).toBeGreaterThan(2)
    for (const { path, method } of signed) {
      const address = path.replace(/\{\w+\}/g, 'unknown')
      const body = method === 'get' ? {} : { body: '{}' }
      const answer = await api.app.request(address, { method: method.toUpperCase(), headers, ...body })
      expect([path, answer.status < 400]).toEqual([path, false])
    }
  })

  it('is a new one at every sign-in: one that was planted before is worth what it was', async () => {
    const mallory = await addUser(api.deps)
    const planted = await session(mallory.email)
    const answer = await api.post(SESSION, { email: ann.email, password: PASSWORD }, { ...planted, ...HERE })
    const given = answer.headers.getSetCookie()[0]?.split(';', 1)[0] ?? ''
    const { csrf } = (await answer.json()) as { csrf: string }
    expect([given, csrf]).not.toContain(planted.cookie)
    expect(csrf).not.toBe(planted['x-svc-csrf'])
    expect(await status('/runs', { cookie: given, 'x-svc-csrf': planted['x-svc-csrf'] })).toBe(401)
    expect(await (await api.get('/auth/me', planted)).json()).toMatchObject({ id: mallory.id })
  })

  it.each([
    ['a new password', (id: string) => ['POST', `/admin/users/${id}/password`, { password: 'another long password' }]],
    ['other roles', (id: string) => ['PATCH', `/admin/users/${id}`, { roles: ['viewer'] }]],
    ['being disabled', (id: string) => ['PATCH', `/admin/users/${id}`, { status: 'disabled' }]],
  ] as const)('ends with %s', async (_what, change) => {
    const user = await addUser(api.deps, { roles: ['operator'] })
    const mine = await session(user.email)
    const [method, path, body] = change(user.id)
    const headers = { 'content-type': 'application/json', ...(await bearer(api.deps, await api.owner())) }
    const answer = await api.app.request(String(path), { method: String(method), body: JSON.stringify(body), headers })
    expect(answer.status).toBeLessThan(300)
    await expect.poll(() => status('/runs', mine), PATIENCE).toBe(401)
  })

  it('acts in the console as far as the record is concerned', async () => {
    const admin = await addUser(api.deps, { roles: ['admin'], workspaces: ['*'] })
    const mine = await session(admin.email)
    const scope = { environment: 'development' }
    const answer = await api.post('/console/api/halts', { scope, reason: 'from the console' }, { ...mine, ...HERE })
    expect(answer.status).toBe(201)
    const [row] =
      await database.db`select draft ->> 'channel' as channel from audit_outbox where draft ->> 'action' = 'halt.set'`
    expect(row).toEqual({ channel: 'console' })
  })
})
