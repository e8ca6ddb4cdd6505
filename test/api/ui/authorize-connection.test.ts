import { beforeAll, describe, expect, test } from 'vitest'
import { testApi } from '#test/support/api-client.ts'
import { auditOf } from '#test/support/authoring.ts'
import { fileFixture, testDatabase } from '#test/support/file-fixture.ts'
import { itIsGuarded, sharedWorld } from '#test/support/guarded-operation.ts'
import { CLIENT_SECRET, startOauthProvider } from '#test/support/oauth-provider.ts'
import { testEnvironments } from '#test/support/open-environments.ts'
import { itRefuses, likeItsExample } from '#test/support/refused-operation.ts'
import { addUser, bearer, SECRET } from '#test/support/users.ts'

itIsGuarded('authorizeConnection')
itRefuses('authorizeConnection', sharedWorld, [
  [
    409,
    'conflict',
    async (world, route) => await likeItsExample({ params: { id: await world.connection() } })(world, route),
  ],
  [
    501,
    'not_configured',
    async (world, route) => {
      const { connection_ports: ports } = world.api.deps.authoring
      const { box } = ports
      const request = await likeItsExample({})(world, route)
      return async () => {
        ports.box = undefined
        return await Promise.resolve(request()).finally(() => {
          ports.box = box
        })
      }
    },
  ],
])

const database = testDatabase()
const opened = testEnvironments(database, {
  'environments/development.yaml': 'name: development\nworkspaces: ["*"]\negress: [loopback]\n',
  'environments/closed.yaml': 'name: closed\nworkspaces: ["*"]\n',
})
const api = testApi(database, () => ({ secret: SECRET, content: { environments: opened.environments } }))
const provider = fileFixture(() => startOauthProvider({ redirect_uri: 'http://127.0.0.1:9090/oauth/callback' }))
let owner: Record<string, string>
beforeAll(async () => {
  owner = await bearer(api.deps, await addUser(api.deps, { roles: ['owner'], workspaces: ['*'] }))
})

async function started(config: object, body: object = {}) {
  const draft = { name: `c-${crypto.randomUUID()}`, kind: 'http', auth: 'oauth2', config, secret: CLIENT_SECRET }
  const { id } = (await (await api.post('/ui/api/connections', draft, owner)).json()) as { id: string }
  return { id, answer: await api.post(`/ui/api/connections/${id}/oauth/start`, body, owner) }
}

describe('an authorisation', () => {
  test('leads to the provider with a state, PKCE by S256 and what is asked for; the browser gets a cookie', async () => {
    const { id, answer } = await started(provider.config({ resource: 'https://api.example.com/' }))
    const { authorization_url, expires_at } = (await answer.json()) as Record<string, string>
    const query = new URL(authorization_url ?? '').searchParams
    expect(Object.fromEntries(query)).toMatchObject({
      ...{ client_id: 'svc', response_type: 'code', code_challenge_method: 'S256' },
      ...{ scope: 'openid offline_access read write', resource: 'https://api.example.com/' },
    })
    expect([query.get('state')?.length, query.get('code_challenge')?.length]).toEqual([43, 43])
    expect(Date.parse(expires_at ?? '') - Date.now()).toBeGreaterThan(590_000)
    expect(answer.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^svc_oauth_\w{12}=[\w-]{43}; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/),
    ])
    expect(answer.headers.get('cache-control')).toBe('no-store')
    const stored = JSON.stringify(await database.db`select * from oauth_flows`)
    for (const secret of [query.get('state'), /=([\w-]{43});/.exec(answer.headers.getSetCookie()[0] ?? '')?.[1]])
      expect(stored).not.toContain(secret)
    expect((await auditOf(api, id)).map(({ action }) => action)).toContain('connection.authorization_started')
  })

  test('over TLS has a cookie that this host alone can set', async () => {
    const { public_url } = api.deps
    api.deps.public_url = 'https://svc.example.com'
    const { answer } = await started(provider.config())
    api.deps.public_url = public_url
    expect(answer.headers.getSetCookie()[0]).toMatch(/^__Host-svc_oauth_.*; Secure; SameSite=Lax$/)
  })

  test('asks the provider under the egress rules of the environment, and no other issuer', async () => {
    const closed = await started(provider.config(), { environment: 'closed' })
    expect([closed.answer.status, await closed.answer.json()]).toMatchObject([503, { code: 'dependency_unavailable' }])
    const { answer } = await started(provider.config({ issuer: provider.issuer.replace('127.0.0.1', 'localhost') }))
    expect(answer.status).toBe(503)
  })
})
