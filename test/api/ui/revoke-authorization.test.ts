import { beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { testApi } from '#test/support/api-client.ts'
import { auditOf } from '#test/support/authoring.ts'
import { fileFixture, testDatabase } from '#test/support/file-fixture.ts'
import { CLIENT_SECRET, startOauthProvider } from '#test/support/oauth-provider.ts'
import { testEnvironments } from '#test/support/open-environments.ts'
import { addUser, bearer, SECRET } from '#test/support/users.ts'

const CALLBACK = 'http://127.0.0.1:9090/oauth/callback'

const database = testDatabase()
const opened = testEnvironments(database, {
  'environments/development.yaml': 'name: development\nworkspaces: ["*"]\negress: [loopback]\n',
})
const api = testApi(database, () => ({ secret: SECRET, content: { environments: opened.environments } }))
const provider = fileFixture(() => startOauthProvider({ redirect_uri: CALLBACK }))
let owner: Record<string, string>
beforeAll(async () => {
  owner = await bearer(api.deps, await addUser(api.deps, { roles: ['owner'], workspaces: ['*'] }))
})
beforeEach(async () => {
  provider.state.revocations = []
  provider.state.answers = undefined
  await database.db`delete from connections`
})

async function authorized(): Promise<string> {
  const draft = { kind: 'http', auth: 'oauth2', config: provider.config(), secret: CLIENT_SECRET }
  const named = { name: `c-${crypto.randomUUID()}`, ...draft }
  const { id } = (await (await api.post('/ui/api/connections', named, owner)).json()) as { id: string }
  await authorize(id)
  return id
}
async function authorize(id: string): Promise<void> {
  const answer = await api.post(`/ui/api/connections/${id}/oauth/start`, {}, owner)
  const { authorization_url } = (await answer.json()) as { authorization_url: string }
  const back = await provider.follow(authorization_url)
  const cookie = (answer.headers.getSetCookie()[0] ?? '').split(';', 1)[0] ?? ''
  const ended = await api.get(back.slice('http://127.0.0.1:9090'.length), { cookie })
  expect(ended.status).toBe(200)
}
const send = (method: string, id: string, body?: object) =>
  api.app.request(`/ui/api/connections/${id}`, {
    ...{ method, ...(body !== undefined && { body: JSON.stringify(body) }) },
    headers: { 'content-type': 'application/json', ...owner },
  })
/** The last record, as soon as it is of the end of a revocation. */
const outcome = (id: string) =>
  vi.waitFor(async () => {
    const record = (await auditOf(api, id)).at(-1)
    expect(record?.action).toMatch(/^connection\.(revoked|revocation_failed)$/)
    return { action: record?.action, detail: record?.data['detail'] }
  })

const revocations = async (id: string) =>
  (await auditOf(api, id))
    .map(({ action }) => action)
    .filter((action) => /^connection\.(authorization_dropped|revo)/.test(action))

describe('what was authorised for a connection', () => {
  test('is revoked at the provider when the connection is deleted, and that is on record', async () => {
    const id = await authorized()
    expect((await send('DELETE', id)).status).toBe(204)
    expect(await outcome(id)).toEqual({ action: 'connection.revoked', detail: undefined })
    expect(provider.state.revocations).toEqual([expect.stringContaining('token_type_hint=refresh_token')])
  })

  test('is revoked when the connection leads elsewhere, as the client that it was authorised for', async () => {
    const id = await authorized()
    const config = provider.config({ base_url: 'https://elsewhere.example.com/' })
    expect((await send('PATCH', id, { config, secret: 'another secret' })).status).toBe(200)
    expect(await outcome(id)).toMatchObject({ action: 'connection.revoked' })
  })

  test('stays at the provider where it is authorised again: many providers would end the new tokens with the old', async () => {
    const id = await authorized()
    await authorize(id)
    expect((await send('PATCH', id, { workspaces: ['*'] })).status).toBe(200)
    expect((await send('DELETE', id)).status).toBe(204)
    expect(await outcome(id)).toMatchObject({ action: 'connection.revoked' })
    // that of the deletion alone
    expect(provider.state.revocations).toHaveLength(1)
    expect(await revocations(id)).toEqual(['connection.authorization_dropped', 'connection.revoked'])
  })

  test('stays while another connection signs in as the same client', async () => {
    const [one, other] = [await authorized(), await authorized()]
    await send('DELETE', one)
    expect(await outcome(one)).toMatchObject({
      ...{ action: 'connection.revocation_failed', detail: expect.stringContaining('same client') },
    })
    await send('DELETE', other)
    expect(await outcome(other)).toMatchObject({ action: 'connection.revoked' })
    expect(provider.state.revocations).toHaveLength(1)
  })

  test('is dropped here at once by a provider that does not answer, and the record says that it was not revoked', async () => {
    const id = await authorized()
    provider.state.answers = 503
    const answer = await send('DELETE', id)
    expect(answer.status).toBe(204)
    expect(await outcome(id)).toEqual({
      ...{ action: 'connection.revocation_failed', detail: 'the provider answers 503' },
    })
  })

  test.each([
    ['the connection is deleted', (id: string) => send('DELETE', id)],
    [
      'it leads elsewhere',
      (id: string) => send('PATCH', id, { config: provider.config({ scopes: ['read'] }), secret: CLIENT_SECRET }),
    ],
  ])('the drop is on record at once, also when the provider never answers: %s', async (_how, drop) => {
    const id = await authorized()
    const grant = (await api.deps.authoring.connection_ports.store.find(id))?.authorization?.id
    const { oauth } = api.deps.authoring.connection_ports
    const asked = vi.spyOn(oauth, 'revoke').mockReturnValue(new Promise(() => undefined))
    expect((await drop(id)).ok).toBe(true)
    const last = (await auditOf(api, id)).at(-1)
    expect(last).toMatchObject({ action: 'connection.authorization_dropped', data: { grant } })
    await vi.waitFor(() => expect(asked).toHaveBeenCalledOnce())
    asked.mockRestore()
    expect(await revocations(id)).toEqual(['connection.authorization_dropped'])
  })

  test('nothing is dropped with a connection that nobody has authorised', async () => {
    const draft = { kind: 'http', auth: 'oauth2', config: provider.config(), secret: CLIENT_SECRET }
    const named = { name: `c-${crypto.randomUUID()}`, ...draft }
    const { id } = (await (await api.post('/ui/api/connections', named, owner)).json()) as { id: string }
    expect((await send('PATCH', id, { config: provider.config({ scopes: ['read'] }) })).status).toBe(200)
    expect((await send('DELETE', id)).status).toBe(204)
    expect(await revocations(id)).toEqual([])
  })

  test('is not sent where a key is lost', async () => {
    const id = await authorized()
    const { connection_ports: ports } = api.deps.authoring
    const { box } = ports
    ports.box = undefined
    expect((await send('DELETE', id)).status).toBe(204)
    ports.box = box
    expect(await outcome(id)).toMatchObject({ action: 'connection.revocation_failed' })
    expect(provider.state.revocations).toEqual([])
  })
})
