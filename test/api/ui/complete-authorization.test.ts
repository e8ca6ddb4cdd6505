import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { addressOf } from '#core/connection/kind-schema.ts'
import type { ConnectionRecord } from '#core/connection/schema.ts'
import { testApi } from '#test/support/api-client.ts'
import { auditOf } from '#test/support/authoring.ts'
import { fileFixture, testDatabase } from '#test/support/file-fixture.ts'
import { CLIENT_SECRET, startOauthProvider } from '#test/support/oauth-provider.ts'
import { testEnvironments } from '#test/support/open-environments.ts'
import { addApiKey, addUser, bearer, SECRET } from '#test/support/users.ts'

const CALLBACK = 'http://127.0.0.1:9090/oauth/callback'
const PAGE = { accept: 'text/html' }

const database = testDatabase()
const opened = testEnvironments(database, {
  'environments/development.yaml': 'name: development\nworkspaces: ["*"]\negress: [loopback]\n',
})
const api = testApi(database, () => ({ secret: SECRET, content: { environments: opened.environments } }))
const provider = fileFixture(() => startOauthProvider({ redirect_uri: CALLBACK }))
let owner: Record<string, string>
let owner_id: string
beforeAll(async () => {
  const user = await addUser(api.deps, { roles: ['owner'], workspaces: ['*'] })
  owner_id = user.id
  owner = await bearer(api.deps, user)
  // another owner, so that this one can be disabled
  await addUser(api.deps, { roles: ['owner'], workspaces: ['*'] })
})
beforeEach(() => {
  provider.state.consent = 'all'
  provider.state.answers = undefined
  provider.state.whenAsked = undefined
})

async function begun(by = owner) {
  const draft = { kind: 'http', auth: 'oauth2', config: provider.config(), secret: CLIENT_SECRET }
  const named = { name: `c-${crypto.randomUUID()}`, ...draft }
  const { id } = (await (await api.post('/ui/api/connections', named, owner)).json()) as { id: string }
  const answer = await api.post(`/ui/api/connections/${id}/oauth/start`, {}, by)
  const { authorization_url } = (await answer.json()) as { authorization_url: string }
  const cookie = (answer.headers.getSetCookie()[0] ?? '').split(';', 1)[0] ?? ''
  const back = await provider.follow(authorization_url)
  expect(back).toMatch(/^http:\/\/127\.0\.0\.1:9090\/oauth\/callback\?/)
  return { id, cookie, name: named.name, path: back.slice('http://127.0.0.1:9090'.length) }
}
const ended = async (path: string, headers: Record<string, string>) => {
  const answer = await api.get(path, headers)
  return { answer, text: await answer.text() }
}
const shown = async (id: string) =>
  (await (await api.get(`/ui/api/connections/${id}`, owner)).json()) as ConnectionRecord
const actions = async (id: string) => (await auditOf(api, id)).map(({ action }) => action)

describe('a callback', () => {
  test('stores the tokens sealed, with its record, and says so on a page that keeps nothing', async () => {
    const { id, cookie, path, name } = await begun()
    expect(await shown(id)).toMatchObject({ status: 'failed', problem: expect.stringContaining('authorised') })
    const { answer, text } = await ended(path, { ...PAGE, cookie })
    expect([answer.status, text]).toEqual([200, expect.stringContaining(`the connection ${name} now`)])
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      ...{ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' },
      'content-security-policy': expect.stringContaining("default-src 'none'"),
    })
    const query = new URL(path, CALLBACK).searchParams
    for (const value of query.values()) if (value.length > 5) expect(text).not.toContain(value)
    const record = await shown(id)
    expect(record).toMatchObject({
      status: 'untested',
      grant: { authorized_by: owner_id, state: 'active', refreshable: true, missing_scopes: [] },
    })
    expect(record.problem).toBeUndefined()
    expect(Date.parse(record.grant?.expires_at ?? '') - Date.now()).toBeGreaterThan(3_500_000)
    expect(await actions(id)).toEqual([
      'connection.created',
      'connection.authorization_started',
      'connection.authorized',
    ])
  })

  test('that comes again, in a second tab or at the same moment, changes nothing and asks nobody', async () => {
    const { id, cookie, path } = await begun()
    const before = provider.state.token_requests
    const answers = await Promise.all([1, 2, 3].map(() => ended(path, { ...PAGE, cookie })))
    expect(answers.map(({ answer }) => answer.status).sort()).toEqual([200, 400, 400])
    const again = await ended(path, { ...PAGE, cookie })
    expect([again.answer.status, again.text]).toEqual([400, expect.stringContaining('nothing is left to do')])
    expect(provider.state.token_requests - before).toBe(1)
    expect((await actions(id)).filter((action) => action === 'connection.authorized')).toHaveLength(1)
  })

  test('of another browser, an unknown or an ended flow is one page, which says what to do', async () => {
    const { cookie, path } = await begun()
    const stranger = await ended(path, PAGE)
    const other = await begun()
    const wrong = await ended(path, { ...PAGE, cookie: other.cookie })
    const unknown = await ended('/oauth/callback?state=none&code=x', { ...PAGE, cookie })
    const none = await ended('/oauth/callback', PAGE)
    const long = await ended(`/oauth/callback?state=${'x'.repeat(500)}`, PAGE)
    await database.db`update oauth_flows set expires_at = now()`
    const late = await ended(path, { ...PAGE, cookie })
    for (const { answer, text } of [stranger, wrong, unknown, none, long, late]) {
      expect(answer.status).toBe(400)
      expect(text).toBe(stranger.text)
    }
    expect(stranger.text).toContain('svc connections authorize')
  })

  test('from another site ends a flow of its browser, as providers lead back', async () => {
    const { cookie, path } = await begun()
    const navigation = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }
    expect((await ended(path, { ...PAGE, ...navigation, cookie })).answer.status).toBe(200)
  })

  test('is good after another browser has tried it', async () => {
    const { cookie, path } = await begun()
    await ended(path, PAGE)
    expect((await ended(path, { ...PAGE, cookie })).answer.status).toBe(200)
  })

  test('that says no is on record, and nothing of the provider is shown', async () => {
    provider.state.consent = 'deny'
    const { id, cookie, path } = await begun()
    const { answer, text } = await ended(path, { ...PAGE, cookie })
    expect([answer.status, text]).toEqual([400, expect.stringContaining('consent was not given')])
    expect(text).not.toContain('WHAT THE PROVIDER SAYS')
    expect(await actions(id)).toContain('connection.authorization_failed')
    expect((await shown(id)).grant).toBeUndefined()
  })

  test('of another issuer is refused: mixed-up providers get no code', async () => {
    const { id, cookie, path } = await begun()
    const before = provider.state.token_requests
    const mixed = new URL(path, CALLBACK)
    mixed.searchParams.set('iss', 'https://evil.example.com')
    const { answer, text } = await ended(mixed.pathname + mixed.search, { ...PAGE, cookie })
    expect([answer.status, text]).toEqual([400, expect.not.stringContaining('evil')])
    expect([provider.state.token_requests, (await shown(id)).grant]).toEqual([before, undefined])
    const without = await begun()
    const url = new URL(without.path, CALLBACK)
    url.searchParams.delete('iss')
    expect((await ended(url.pathname + url.search, { ...PAGE, cookie: without.cookie })).answer.status).toBe(400)
    expect(provider.state.token_requests).toBe(before)
  })

  test('for an account that was disabled, or a connection that was changed in the meantime, stores nothing', async () => {
    const disabled = await begun()
    await database.db`update users set status = 'disabled' where id = ${owner_id}`
    const { answer, text } = await ended(disabled.path, { ...PAGE, cookie: disabled.cookie })
    await database.db`update users set status = 'active' where id = ${owner_id}`
    expect([answer.status, text]).toEqual([400, expect.stringContaining('may not change connections')])
    const changed = await begun()
    await api.app.request(`/ui/api/connections/${changed.id}`, {
      ...{ method: 'PATCH', body: JSON.stringify({ secret: 'another' }) },
      headers: { ...owner, 'content-type': 'application/json' },
    })
    const late = await ended(changed.path, { ...PAGE, cookie: changed.cookie })
    expect([late.answer.status, late.text]).toEqual([400, expect.stringContaining('was changed')])
    expect([(await shown(disabled.id)).grant, (await shown(changed.id)).grant]).toEqual([undefined, undefined])
  })

  test('for an account that is disabled while the provider answers stores nothing', async () => {
    const { id, cookie, path } = await begun()
    provider.state.whenAsked = async () =>
      await database.db`update users set status = 'disabled' where id = ${owner_id}`
    const { answer, text } = await ended(path, { ...PAGE, cookie })
    await database.db`update users set status = 'active' where id = ${owner_id}`
    expect([answer.status, text]).toEqual([400, expect.stringContaining('may not change connections')])
    expect((await shown(id)).grant).toBeUndefined()
  })

  test.each(['revoked', 'expired', 'revoked while the provider answers'])(
    'of a flow that a key began which is %s by now stores nothing',
    async (how) => {
      const all = { scopes: ['admin', 'runs:read'], workspaces: ['*'] }
      const robot = await addUser(api.deps, { ...all, roles: ['service', 'admin'] })
      const key = await addApiKey(api.deps, robot.id, { scopes: ['admin', 'runs:read'] })
      const { id, cookie, path } = await begun(key.headers)
      const end = async () => {
        if (how === 'expired')
          await database.db`
            update api_keys set created_at = now() - interval '2 hours', expires_at = now() - interval '1 hour'
            where id = ${key.id}`
        else {
          const revoked = await api.app.request(`/admin/api-keys/${key.id}`, { method: 'DELETE', headers: owner })
          expect(revoked.status).toBe(204)
        }
      }
      if (how.endsWith('answers')) provider.state.whenAsked = end
      else await end()
      const { answer, text } = await ended(path, { ...PAGE, cookie })
      expect([answer.status, text]).toEqual([
        400,
        expect.stringContaining('the API key that began this is no longer valid'),
      ])
      expect((await shown(id)).grant).toBeUndefined()
      expect((await auditOf(api, id)).at(-1)).toMatchObject({
        ...{ action: 'connection.authorization_failed', actor: { id: robot.id }, data: { outcome: 'signed_out' } },
      })
    },
  )

  test('of a flow whose user has signed out since stores nothing, and one that began afterwards is good', async () => {
    const admin = await addUser(api.deps, { roles: ['admin'], workspaces: ['*'] })
    const { id, cookie, path } = await begun(await bearer(api.deps, admin))
    await database.db`update users set token_version = token_version + 1 where id = ${admin.id}`
    const { answer, text } = await ended(path, { ...PAGE, cookie })
    expect([answer.status, text]).toEqual([400, expect.stringContaining('is no longer valid')])
    expect((await shown(id)).grant).toBeUndefined()
    const row = await api.deps.identity.users.find(admin.id)
    if (row === undefined) throw new Error('no such user')
    const again = await begun(await bearer(api.deps, row))
    expect((await ended(again.path, { ...PAGE, cookie: again.cookie })).answer.status).toBe(200)
  })

  test('with less than was asked for says what is missing, here and in the record', async () => {
    provider.state.consent = 'less'
    const { id, cookie, path } = await begun()
    const { text } = await ended(path, { ...PAGE, cookie })
    expect(text).toContain('has not granted write')
    expect(await shown(id)).toMatchObject({ status: 'degraded', grant: { missing_scopes: ['write'] } })
  })

  test('whose provider is away says so, and a program reads RFC 6749', async () => {
    const { id, cookie, path } = await begun()
    provider.state.answers = 503
    const { answer, text } = await ended(path, { cookie })
    expect([answer.status, JSON.parse(text)]).toMatchObject([503, { error: 'temporarily_unavailable' }])
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect((await shown(id)).grant).toBeUndefined()
    provider.state.answers = undefined
    const again = await begun()
    const { answer: good, text: body } = await ended(again.path, { cookie: again.cookie })
    expect([good.status, JSON.parse(body)]).toEqual([200, { connection: again.name, missing_scopes: [] }])
  })
})

describe('what was authorised', () => {
  const edit = async (id: string, body: object) => {
    const headers = { ...owner, 'content-type': 'application/json' }
    const answer = await api.app.request(`/ui/api/connections/${id}`, {
      ...{ method: 'PATCH', body: JSON.stringify(body), headers },
    })
    return (await answer.json()) as ConnectionRecord
  }
  const authorised = async () => {
    const { id, cookie, path } = await begun()
    expect((await ended(path, { ...PAGE, cookie })).answer.status).toBe(200)
    return id
  }

  test('is what a test of the connection uses, once somebody has authorised it', async () => {
    const { id, cookie, path } = await begun()
    const tested = async (more: object = {}) =>
      await (await api.post('/ui/api/connections/test', { id, ...more }, owner)).json()
    expect(await tested()).toMatchObject({
      status: 'failed',
      detail: 'nobody has authorised it yet: an admin must do so',
    })
    await ended(path, { ...PAGE, cookie })
    expect(await tested()).toMatchObject({ status: 'healthy' })
    expect(await shown(id)).toMatchObject({ status: 'healthy', last_test: { ok: true } })
    const elsewhere = { config: provider.config({ issuer: 'https://evil.example.com' }), secret: CLIENT_SECRET }
    expect(await tested(elsewhere)).toMatchObject({ detail: 'it can be tested when an admin has authorised it' })
  })

  test('is found nowhere in clear: in no table, log, record or answer', async () => {
    const { id, cookie, path } = await begun()
    const seen = [(await ended(path, { ...PAGE, cookie })).text, JSON.stringify([await shown(id), api.lines])]
    const { store, authorizations, box } = api.deps.authoring.connection_ports
    const row = await store.find(id)
    if (!row?.authorization) throw new Error('it was not authorised')
    const sealed = (await authorizations.sealed(id, row.authorization)) ?? ''
    const bound = { id: `${id}/${row.authorization.id}`, version: 1, address: addressOf(row) }
    const tokens: Record<string, string> = JSON.parse((await box?.open(bound, sealed)) ?? '')
    const tables = await database.db<{ name: string }[]>`
      select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
        and has_table_privilege(oid, 'select')`
    for (const { name } of tables)
      for (const { text } of await database.db<{ text: string }[]>`select t::text as text from ${database.db(name)} t`)
        seen.push(text)
    expect(seen.filter((text) => text.includes(sealed))).toHaveLength(1)
    const query = new URL(path, CALLBACK).searchParams
    const secrets = [
      tokens['access_token'],
      tokens['refresh_token'],
      query.get('code'),
      query.get('state'),
      CLIENT_SECRET,
    ]
    for (const secret of secrets) {
      expect(String(secret).length).toBeGreaterThan(20)
      expect(seen.filter((text) => text.includes(String(secret)))).toEqual([])
    }
  })

  test.each<[string, object, boolean]>([
    ['stays with another secret of the client', { secret: CLIENT_SECRET }, true],
    ['goes with other scopes', { scopes: ['read'] }, false],
    ['goes with another address', { base_url: 'https://other.example.com/', secret: CLIENT_SECRET }, false],
    ['goes with another client', { client_id: 'other', secret: CLIENT_SECRET }, false],
  ])('%s', async (_what, { secret, ...config }: { secret?: string }, stays) => {
    const id = await authorised()
    const body = { ...(secret !== undefined && { secret }), config: provider.config(config) }
    expect((await edit(id, body)).grant !== undefined).toBe(stays)
  })

  test.each([
    ['issuer', 'https://evil.example.com'],
    ['client_id', 'other'],
  ])('and the secret of the client are never sent elsewhere: another %s asks for it again', async (field, value) => {
    const id = await authorised()
    expect(await edit(id, { config: provider.config({ [field]: value }) })).toMatchObject({ code: 'secret_required' })
  })
})
