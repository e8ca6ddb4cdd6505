import { getRequestListener } from '@hono/node-server'
import { afterEach, describe, expect, it } from 'vitest'
import { createEgressClient } from '#platform/egress/egress-client.ts'
import { createOAuthClient } from '#platform/oauth/oauth-client.ts'
import { type Canary, startCanary } from '#test/support/canary.ts'

type Answer = NonNullable<Parameters<typeof startCanary>[0]>

// as in the API: its server replaces the global Response, which then takes any status
getRequestListener(() => new Response())
const oauth = createOAuthClient(createEgressClient())
const stops: (() => Promise<void>)[] = []
afterEach(async () => {
  await Promise.all(stops.splice(0).map((stop) => stop()))
})

/** Refreshes at a token endpoint that answers so. */
async function refreshed(answer: Answer, egress = ['loopback']) {
  return await refreshAt(await started(answer), egress)
}

async function started(answer: Answer): Promise<Canary> {
  const endpoint = await startCanary(answer)
  stops.push(endpoint.stop)
  return endpoint
}

async function refreshAt({ url }: Pick<Canary, 'url'>, egress = ['loopback']) {
  const { origin } = new URL(url)
  const provider = {
    ...{ issuer: origin, client_id: 'svc', scopes: [] },
    ...{ authorization_endpoint: `${origin}/authorize`, token_endpoint: `${origin}/token` },
  }
  return await oauth.refresh({ provider, secret: 'a secret of the client', egress }, 'the-refresh-token')
}

const json =
  (body: object, status = 200): Answer =>
  (_request, response) =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
const says =
  (status: number, body = '<html>', headers = {}): Answer =>
  (_request, response) =>
    void response.writeHead(status, headers).end(body)

describe('a refresh', () => {
  it('has failed for good where the provider refuses in the words of OAuth, and nowhere else', async () => {
    for (const error of ['invalid_grant', 'invalid_client', 'unauthorized_client'])
      expect(await refreshed(json({ error }, 400))).toMatchObject({
        failure: error === 'invalid_grant' ? error : 'refused',
      })
    expect(await refreshed(json({ error: 'temporarily_unavailable' }, 400))).toMatchObject({ failure: 'unclear' })
    expect(await refreshed(json({ error: '<script>' }, 400))).toEqual({
      ...{ failure: 'unclear', detail: 'the provider answers 400' },
    })
  })

  it.each<[string, Answer]>([
    ['a page of a proxy', says(200, '<html>', { 'content-type': 'text/html' })],
    ['half an answer', says(200, '{"access', { 'content-type': 'application/json' })],
    ['a redirect', says(302, '', { location: 'https://elsewhere.example.com/' })],
    ['a page of a firewall', says(403)],
    ['no page', says(404)],
    ['a status of nobody', says(999)],
  ])('may pass after %s', async (_what, answer) => {
    expect(await refreshed(answer)).toMatchObject({ failure: 'unclear' })
  })

  it('may pass where the provider cannot be reached, and says why', async () => {
    const gone = await startCanary(says(200))
    await gone.stop()
    expect(await refreshAt(gone)).toMatchObject({ failure: 'unavailable', detail: expect.stringContaining('REFUSED') })
    expect(await refreshed(says(503))).toMatchObject({ failure: 'unavailable' })
    const closed = await refreshed(says(200), [])
    expect(closed).toMatchObject({ failure: 'unavailable', detail: expect.stringContaining('does not open it') })
  })

  it('is lost where it was sent and not answered: the provider may have handled it', async () => {
    const lost = { failure: 'lost', detail: expect.stringContaining('not known') }
    expect(await refreshed((request) => void request.socket.destroy())).toMatchObject(lost)
    const broken: Answer = (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '500' }).write('{"access')
      setTimeout(() => response.destroy(), 20)
    }
    expect(await refreshed(broken)).toMatchObject(lost)
    for (const status of [502, 504]) expect(await refreshed(says(status))).toMatchObject(lost)
  })

  it('takes null for what a provider leaves out', async () => {
    const nulls = { refresh_token: null, expires_in: null, scope: null, id_token: null }
    expect(await refreshed(json({ access_token: 'a-token', token_type: 'bearer', ...nulls }))).toEqual({
      ...{ access_token: 'a-token', refresh_token: undefined, expires_in_s: undefined, scopes: undefined },
    })
    expect(await refreshed(json({ access_token: null, token_type: 'bearer' }))).toMatchObject({ failure: 'unclear' })
  })

  it.each<[string, object]>([
    ['an issuer that is no url', { issuer: 'nowhere' }],
    ['another issuer', { issuer: 'https://evil.example.com' }],
    ['an endpoint that is no url', { token_endpoint: 5 }],
    ['an endpoint without TLS elsewhere', { token_endpoint: 'ftp://evil.example.com/' }],
    ['no endpoint', { token_endpoint: undefined }],
    ['methods that are no list', { token_endpoint_auth_methods_supported: 5 }],
  ])('may pass where the metadata have %s', async (_what, more) => {
    const metadata: Answer = (request, response) => {
      const issuer = `http://${request.headers.host}`
      json({ issuer, token_endpoint: `${issuer}/token`, ...more })(request, response)
    }
    const { origin } = new URL((await started(metadata)).url)
    const client = {
      provider: { issuer: origin, client_id: 'svc', scopes: [] },
      secret: 'secret',
      egress: ['loopback'],
    }
    expect(await oauth.refresh(client, 'the-refresh-token')).toMatchObject({ failure: 'unclear' })
    // nor do they say where a person consents
    const flow = { state: 'a state', verifier: 'v'.repeat(43), redirect_uri: 'http://127.0.0.1/oauth/callback' }
    expect(await oauth.authorizationUrl(client, flow)).toMatchObject({ failure: 'unclear' })
  })

  it.each(['access_token', 'refresh_token'])(
    'takes no %s that would be more than the value of a header',
    async (name) => {
      const tokens = { access_token: 'a-token', refresh_token: 'another', token_type: 'bearer', expires_in: 60 }
      expect(await refreshed(json(tokens))).toMatchObject({ access_token: 'a-token', refresh_token: 'another' })
      const found = await refreshed(json({ ...tokens, [name]: 'good\r\nx-admin: 1' }))
      expect(found).toEqual({ failure: 'unclear', detail: 'its tokens have characters that no token has' })
    },
  )
})

describe('a revocation', () => {
  /** Revokes at a provider whose endpoint, if it has one, answers so. */
  async function revoked(answer?: Answer) {
    const endpoint = await started((request, response) => {
      if (request.url === '/revoke') return answer?.(request, response)
      const issuer = `http://${request.headers.host}`
      const revocation_endpoint = answer && `${issuer}/revoke`
      return json({ issuer, token_endpoint: `${issuer}/token`, revocation_endpoint })(request, response)
    })
    const provider = { issuer: new URL(endpoint.url).origin, client_id: 'svc', scopes: [] }
    const token = { token: 'the-refresh-token', hint: 'refresh_token' } as const
    const found = await oauth.revoke({ provider, secret: 'secret', egress: ['loopback'] }, token)
    const bodies = endpoint.requests.filter(({ url }) => url === '/revoke').map(({ body }) => body)
    return { found, sent: Object.fromEntries(new URLSearchParams(bodies.join(''))) }
  }

  it('sends the token and its kind where the metadata name an endpoint, and else nothing', async () => {
    expect(await revoked()).toEqual({ found: 'unsupported', sent: {} })
    const { found, sent } = await revoked(says(200, ''))
    expect([found, sent]).toEqual([
      'revoked',
      expect.objectContaining({ token: 'the-refresh-token', token_type_hint: 'refresh_token' }),
    ])
  })

  it('says in our words why it did not go well', async () => {
    expect((await revoked(says(503))).found).toEqual({ failure: 'unavailable', detail: 'the provider answers 503' })
    expect((await revoked(json({ error: 'invalid_client' }, 401))).found).toMatchObject({ failure: 'refused' })
  })
})
