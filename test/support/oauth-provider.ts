import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type InteractionResults, Provider } from 'oidc-provider'

export const CLIENT_SECRET = 'the-secret-of-the-client'
export const CLIENT_ID = 'svc'

/** What a person does at the provider. */
type Consent = 'all' | 'less' | 'deny'

/**
 * A real provider on this machine: PKCE, one refresh token after the other, and a family that ends when an old one comes back. The person
 * signs in and consents at once.
 */
export async function startOauthProvider({
  redirect_uri,
  host = '127.0.0.1',
}: {
  redirect_uri: string
  host?: string
}) {
  const server = createServer((request, response) => void handle(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const issuer = `http://${host}:${(server.address() as AddressInfo).port}`
  const state = {
    consent: 'all' as Consent,
    answers: undefined as number | undefined,
    token_requests: 0,
    /** bodies of requests that revoke a token */
    revocations: [] as string[],
    whenAsked: undefined as (() => Promise<unknown>) | undefined,
    /** what is awaited when tokens were made, before they are sent */
    whenAnswering: undefined as (() => Promise<unknown>) | undefined,
  }
  const provider = new Provider(issuer, {
    clients: [
      {
        ...{ client_id: CLIENT_ID, client_secret: CLIENT_SECRET, redirect_uris: [redirect_uri] },
        ...{ grant_types: ['authorization_code', 'refresh_token'], response_types: ['code'] },
      },
    ],
    scopes: ['openid', 'offline_access', 'read', 'write'],
    rotateRefreshToken: true,
    pkce: { required: () => true },
    features: { devInteractions: { enabled: false }, revocation: { enabled: true } },
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    findAccount: async (_, sub) => ({ accountId: sub, claims: async () => ({ sub }) }),
    cookies: { keys: ['a key of the tests'] },
    ttl: { AccessToken: 3_600, RefreshToken: 86_400, Grant: 86_400, Session: 86_400, Interaction: 600, IdToken: 600 },
  })
  const served = provider.callback()

  async function handle(...[request, response]: Parameters<typeof served>): Promise<void> {
    if (request.url?.startsWith('/interaction/')) return await consent(request, response)
    // a service that takes its tokens
    if (request.url === '/api/') {
      const token = await provider.AccessToken.find(request.headers.authorization?.replace('Bearer ', '') ?? '')
      response.writeHead(token === undefined ? 401 : 200).end('{}')
      return
    }
    if (request.url === '/token/revocation') {
      request.on('data', (part: Buffer) => void state.revocations.push(part.toString()))
      if (state.answers !== undefined) return void response.writeHead(state.answers).end('WHAT THE PROVIDER SAYS')
    }
    if (request.url === '/token') {
      state.token_requests += 1
      await state.whenAsked?.()
      if (state.answers !== undefined) {
        response.writeHead(state.answers).end('WHAT THE PROVIDER SAYS')
        return
      }
      if (state.whenAnswering !== undefined) {
        const [end, wait] = [response.end.bind(response), state.whenAnswering]
        const later = (...sent: unknown[]) => void wait().then(() => Reflect.apply(end, response, sent))
        Object.assign(response, { end: later })
      }
    }
    await served(request, response)
  }

  async function consent(...[request, response]: Parameters<typeof served>): Promise<void> {
    const { prompt, params } = await provider.interactionDetails(request, response)
    const scopes = String(params['scope']).split(' ')
    if (state.consent === 'deny') {
      const result = { error: 'access_denied', error_description: '<b>WHAT THE PROVIDER SAYS</b>' }
      return await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false })
    }
    if (prompt.name === 'login') return await finish({ login: { accountId: 'ann' } })
    const grant = new provider.Grant({ accountId: 'ann', clientId: CLIENT_ID })
    grant.addOIDCScope(scopes.filter((scope) => state.consent === 'all' || scope !== 'write').join(' '))
    grant.rejectOIDCScope(state.consent === 'less' ? 'write' : '')
    return await finish({ consent: { grantId: await grant.save() } })

    async function finish(result: InteractionResults): Promise<void> {
      await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: true })
    }
  }

  /** Follows an authorization url as a browser does, until it leads back: the address of the callback. */
  async function follow(url: string): Promise<string> {
    const cookies = new Map<string, string>()
    for (let at = url; ; ) {
      const answer = await fetch(at, {
        redirect: 'manual',
        headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      })
      for (const cookie of answer.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
        cookies.set(name, value)
      }
      const location = answer.headers.get('location')
      if (location === null) throw new Error(`the provider answers ${answer.status}: ${await answer.text()}`)
      at = new URL(location, at).href
      if (!at.startsWith(issuer)) return at
    }
  }

  return {
    issuer,
    state,
    follow,
    config: (more: object = {}) => ({
      ...{ base_url: `${issuer}/api/`, issuer, client_id: CLIENT_ID },
      ...{ scopes: ['openid', 'offline_access', 'read', 'write'], ...more },
    }),
    /** Tells whether a refresh token is good. */
    async honours(token: string): Promise<boolean> {
      const found = await provider.RefreshToken.find(token)
      return found !== undefined && found.consumed === undefined
    },
    /** Ends a token at the provider, as a person who takes back the consent does. */
    async revoke(token: string): Promise<void> {
      const body = new URLSearchParams({ token })
      const authorization = `Basic ${Buffer.from(`${CLIENT_ID}:${CLIENT_SECRET}`).toString('base64')}`
      const answer = await fetch(`${issuer}/token/revocation`, { method: 'POST', body, headers: { authorization } })
      if (answer.status !== 200) throw new Error(`not revoked: ${answer.status}`)
    },
    async close(): Promise<void> {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

export type OauthProvider = Awaited<ReturnType<typeof startOauthProvider>>
