import { beforeAll, expect, test } from 'vitest'
import type { ConnectionRecord } from '#core/connection/schema.ts'
import { testApi } from '#test/support/api-client.ts'
import { auditOf } from '#test/support/authoring.ts'
import { fileFixture, testDatabase } from '#test/support/file-fixture.ts'
import { CLIENT_SECRET, startOauthProvider } from '#test/support/oauth-provider.ts'
import { testEnvironments } from '#test/support/open-environments.ts'
import { addUser, bearer, PASSWORD, SECRET } from '#test/support/users.ts'

const ORIGIN = 'http://127.0.0.1:9090'
const PAGE = { accept: 'text/html' }

const database = testDatabase()
const opened = testEnvironments(database, {
  'environments/development.yaml': 'name: development\nworkspaces: ["*"]\negress: [loopback]\n',
})
const api = testApi(database, () => ({ secret: SECRET, content: { environments: opened.environments } }))
const provider = fileFixture(() => startOauthProvider({ redirect_uri: `${ORIGIN}/oauth/callback` }))
let owner: Record<string, string>
let owner_id: string
beforeAll(async () => {
  const user = await addUser(api.deps, { roles: ['owner'], workspaces: ['*'] })
  owner_id = user.id
  owner = await bearer(api.deps, user)
})

async function started(body: object = { confirm: 'code' }) {
  const draft = { kind: 'http', auth: 'oauth2', config: provider.config(), secret: CLIENT_SECRET }
  const named = { name: `c-${crypto.randomUUID()}`, ...draft }
  const { id } = (await (await api.post('/ui/api/connections', named, owner)).json()) as { id: string }
  const answer = await api.post(`/ui/api/connections/${id}/oauth/start`, body, owner)
  const { authorization_url, code = '' } = (await answer.json()) as { authorization_url: string; code?: string }
  const back = await provider.follow(authorization_url)
  return { id, code, name: named.name, path: back.slice(ORIGIN.length), answer }
}
async function begun() {
  const flow = await started()
  expect(flow.answer.headers.getSetCookie()).toEqual([])
  expect(flow.answer.headers.get('cache-control')).toBe('no-store')
  expect(flow.code).toMatch(/^[A-Z0-9]{4}-[A-Z0-9]{4}$/)
  expect(JSON.stringify(await database.db`select * from oauth_flows`)).not.toContain(flow.code.replace('-', ''))
  return flow
}
const read = async (answer: Response) => ({ answer, text: await answer.text() })
const followed = async (path: string, headers: Record<string, string> = PAGE) => read(await api.get(path, headers))
const typed = async (path: string, confirm: string, headers: Record<string, string> = PAGE) =>
  read(
    await api.app.request(path, {
      ...{ method: 'POST', body: new URLSearchParams({ confirm }) },
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    }),
  )
const shown = async (id: string) =>
  (await (await api.get(`/ui/api/connections/${id}`, owner)).json()) as ConnectionRecord
const refusals = async (id: string) =>
  (await auditOf(api, id)).filter(({ action }) => action === 'connection.code_refused')

test('the code of the terminal ends a flow in any browser, once, after a page that names the connection', async () => {
  const { id, code, name, path } = await begun()
  const before = provider.state.token_requests
  const asked = await followed(path)
  expect(asked.answer.status).toBe(200)
  for (const part of [name, 'svc connections authorize', '<form method="post"', 'name="confirm"'])
    expect(asked.text).toContain(part)
  expect(asked.text).not.toContain(code)
  for (const value of new URL(path, ORIGIN).searchParams.values()) expect(asked.text).not.toContain(value)
  expect([provider.state.token_requests - before, (await shown(id)).grant]).toEqual([0, undefined])
  // a page without a referrer has no origin either, and the browser says that it is ours
  const ours = { ...PAGE, origin: 'null', 'sec-fetch-site': 'same-origin' }
  const { answer, text } = await typed(path, code.toLowerCase().replace('-', ' '), ours)
  expect([answer.status, text]).toEqual([200, expect.stringContaining(`the connection ${name} now`)])
  expect(await shown(id)).toMatchObject({ grant: { authorized_by: owner_id, state: 'active' } })
  expect((await typed(path, code)).text).toContain('nothing is left to do')
  expect(await refusals(id)).toEqual([])
})

test('a code in the address counts for nothing: whatever led the browser there, the page asks for it', async () => {
  const { id, code, path } = await begun()
  const before = provider.state.token_requests
  const navigation = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }
  for (const headers of [{ ...PAGE, ...navigation }, PAGE]) {
    const { answer, text } = await followed(`${path}&confirm=${code}`, headers)
    expect([answer.status, text]).toEqual([200, expect.stringContaining('name="confirm"')])
  }
  expect([provider.state.token_requests - before, (await shown(id)).grant]).toEqual([0, undefined])
  expect((await typed(path, code)).answer.status).toBe(200)
})

test.each([
  ['cross-site', { 'sec-fetch-site': 'cross-site' }],
  ['a sibling of this host', { 'sec-fetch-site': 'same-site' }],
  ['an old browser', { origin: 'https://evil.example.com' }],
])('a form of another site counts for nothing, and is on record: %s', async (_what, headers) => {
  const { id, code, path } = await begun()
  const refused = async () => {
    await api.deps.refusals.flush()
    const [row] = await database.db<{ refused: number }[]>`
      select coalesce(sum(refused), 0)::int as refused from refusals where draft -> 'data' ->> 'operation' = 'confirmAuthorization'`
    return row?.refused
  }
  const before = Number(await refused())
  const { answer, text } = await typed(path, code, { ...PAGE, ...headers })
  expect([answer.status, text]).toEqual([400, expect.stringContaining('a page of another site')])
  expect((await shown(id)).grant).toBeUndefined()
  const [row] = await database.db`select tries, consumed_at from oauth_flows where connection_id = ${id}`
  expect(row).toEqual({ tries: 0, consumed_at: null })
  expect(await refused()).toBe(before + 1)
  expect((await typed(path, code)).answer.status).toBe(200)
})

test('a refusal of the provider is shown, and neither ends the flow nor asks for a code', async () => {
  provider.state.consent = 'deny'
  const { path, code } = await begun().finally(() => (provider.state.consent = 'all'))
  const { answer, text } = await followed(path)
  expect([answer.status, text]).toEqual([400, expect.stringContaining('consent was not given')])
  expect(text).not.toContain('name="confirm"')
  const ended = await typed(path, code)
  expect([ended.answer.status, ended.text]).toEqual([400, expect.stringContaining('consent was not given')])
})

test('five wrong codes end a flow; each is on record, and the provider is asked nothing', async () => {
  const { id, code, path } = await begun()
  const other = await begun()
  const before = provider.state.token_requests
  for (const wrong of ['BBBB-BBBB', other.code, '', ' ', '<b>'])
    expect((await typed(path, wrong)).answer.status).toBe(400)
  const { answer, text } = await typed(path, code)
  expect([answer.status, text]).toEqual([400, expect.stringContaining('cannot be completed')])
  expect([provider.state.token_requests - before, (await shown(id)).grant]).toEqual([0, undefined])
  const records = await refusals(id)
  expect(records.map(({ data }) => data['tries'])).toEqual([1, 2, 3, 4, 5])
  for (const record of records) {
    expect(record).toMatchObject({ actor: { id: 'anonymous', auth: 'none' }, data: { version: 1 } })
    expect(JSON.stringify(record)).not.toMatch(/BBBB|<b>/)
  }
  expect(await refusals(other.id)).toEqual([])
})

test('the record of a wrong code names who types it: by their token, or by the session of their browser', async () => {
  const { id, path } = await begun()
  const ann = await addUser(api.deps, { roles: ['viewer'] })
  await typed(path, 'BBBB-BBBB', { ...PAGE, ...(await bearer(api.deps, ann)) })
  const signedIn = await api.post('/console/api/session', { email: ann.email, password: PASSWORD })
  const cookie = (signedIn.headers.getSetCookie()[0] ?? '').split(';', 1)[0] ?? ''
  await typed(path, 'CCCC-CCCC', { ...PAGE, cookie, 'sec-fetch-site': 'same-origin' })
  expect((await refusals(id)).map(({ actor }) => actor)).toMatchObject([
    { id: ann.id, auth: 'jwt' },
    { id: ann.id, auth: 'jwt' },
  ])
})

test('a flow of a browser takes no code, and one with a code no cookie', async () => {
  const [one, two] = [await started({}), await begun()]
  const cookie = (one.answer.headers.getSetCookie()[0] ?? '').split(';', 1)[0] ?? ''
  expect((await typed(one.path, two.code, { ...PAGE, cookie })).answer.status).toBe(400)
  expect((await followed(two.path, { ...PAGE, cookie })).text).toContain('name="confirm"')
  expect((await followed(one.path, { ...PAGE, cookie })).answer.status).toBe(200)
})

test('shows nothing of the request as markup, and tells programs what to send', async () => {
  const { path, name, code } = await begun()
  const hostile = await followed(`${path}&x=${encodeURIComponent('"><script>alert(1)</script>')}`)
  expect(hostile.text).not.toContain('<script>')
  const { answer, text } = await followed(path, { accept: 'application/json' })
  expect([answer.status, text]).toEqual([400, expect.stringContaining('confirm')])
  const none = await typed(path, 'x'.repeat(200), { accept: 'application/json' })
  expect([none.answer.status, JSON.parse(none.text)]).toMatchObject([400, { error: 'invalid_request' }])
  const good = await typed(path, code, { accept: 'application/json' })
  expect([good.answer.status, JSON.parse(good.text)]).toEqual([200, { connection: name, missing_scopes: [] }])
})
