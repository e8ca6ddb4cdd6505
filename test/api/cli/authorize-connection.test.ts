import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { serveApi } from '#api/server.ts'
import { createIds } from '#platform/ids.ts'
import { testApi } from '#test/support/api-client.ts'
import { runCliInProcess } from '#test/support/cli-in-process.ts'
import { fileFixture, testDatabase } from '#test/support/file-fixture.ts'
import { CLIENT_SECRET, startOauthProvider } from '#test/support/oauth-provider.ts'
import { testEnvironments } from '#test/support/open-environments.ts'
import { addUser, bearer, SECRET } from '#test/support/users.ts'

const database = testDatabase()
const opened = testEnvironments(database, {
  'environments/development.yaml': 'name: development\nworkspaces: ["*"]\negress: [loopback]\n',
  'environments/closed.yaml': 'name: closed\nworkspaces: ["*"]\n',
})
const api = testApi(database, () => ({ secret: SECRET, content: { environments: opened.environments } }))
const provider = fileFixture(() => startOauthProvider({ redirect_uri: 'http://127.0.0.1:9090/oauth/callback' }))
let server: Awaited<ReturnType<typeof serveApi>>
let owner: Record<string, string>

beforeAll(async () => {
  server = await serveApi(api.app, { host: '127.0.0.1', port: 0, ids: createIds(), onDrain: () => {} })
  owner = await bearer(api.deps, await addUser(api.deps, { roles: ['owner'], workspaces: ['*'] }))
})
afterAll(() => server.close())

const svc = (...args: string[]) =>
  runCliInProcess(['connections', ...args], {
    url: server.url,
    env: { SVC_TOKEN: owner['authorization']?.slice('Bearer '.length) ?? '' },
  })
const made = async (draft: object) => {
  const named = { name: `c-${crypto.randomUUID()}`, kind: 'http', secret: CLIENT_SECRET, ...draft }
  const { id } = (await (await api.post('/ui/api/connections', named, owner)).json()) as { id: string }
  return { id, name: named.name }
}

test('shows the page of the provider and a code, and ends when the connection is authorised', async () => {
  const { id, name } = await made({ auth: 'oauth2', config: provider.config() })
  const running = svc('authorize', name)
  await vi.waitFor(async () =>
    expect(
      await database.db`select from oauth_flows where connection_id = ${id} and code_hash is not null`,
    ).toHaveLength(1),
  )
  // the code stands in the terminal alone, so that this browser has a flow of its own
  const answer = await api.post(`/ui/api/connections/${id}/oauth/start`, {}, owner)
  const { authorization_url } = (await answer.json()) as { authorization_url: string }
  const back = new URL(await provider.follow(authorization_url))
  const cookie = (answer.headers.getSetCookie()[0] ?? '').split(';', 1)[0] ?? ''
  expect((await api.get(`${back.pathname}${back.search}`, { cookie })).status).toBe(200)
  const { code, stdout, stderr } = await running
  expect([code, stdout]).toEqual([0, `${name} is authorised\n`])
  expect(stderr).toContain(`${provider.issuer}/auth?`)
  expect(stderr).toMatch(/type in this code: [A-Z0-9]{4}-[A-Z0-9]{4}\n/)
})

test('75 without OAuth, 69 where the provider cannot be asked, 66 where there is no such connection', async () => {
  const plain = await made({ config: { base_url: 'https://api.example.com/' } })
  const { name } = await made({ auth: 'oauth2', config: provider.config() })
  const codes = [
    await svc('authorize', plain.name),
    await svc('authorize', name, '--environment', 'closed'),
    await svc('authorize', 'no-such-connection'),
  ].map(({ code }) => code)
  expect(codes).toEqual([75, 69, 66])
})
