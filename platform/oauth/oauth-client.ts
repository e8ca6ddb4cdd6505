import { randomInt } from 'node:crypto'
import * as oauth from 'openid-client'
import type { OAuthProvider } from '#core/connection/kind-schema.ts'
import { SCOPE } from '#core/connection/kinds/oauth-schema.ts'
import { foreignJsonIn } from '#core/json/parse-json.ts'
import { OperatorError } from '#core/operator.ts'
import type { EgressClient } from '../egress/egress-client.ts'

/** Nobody takes one of them for another. */
const CODE_LETTERS = 'BCDFGHJKLMNPQRSTVWXZ23456789'

const WITHIN_MS = 10_000
const MAX_BYTES = 131_072

/** Errors of RFC 6749 section 5.2 and RFC 8707; other text of a provider goes nowhere. */
const KNOWN_ERRORS =
  'invalid_request invalid_client invalid_grant unauthorized_client unsupported_grant_type invalid_scope invalid_target access_denied'.split(
    ' ',
  )

export interface ProviderTokens {
  access_token: string
  refresh_token: string | undefined
  /** absent where the provider does not say */
  expires_in_s: number | undefined
  scopes: string[] | undefined
}

/**
 * Why a provider gave nothing, in our words. `invalid_grant` and `refused` are its own decision and stay; `unavailable` passes, and so may
 * `unclear`, which is an answer that no token endpoint gives, such as the page of a proxy. `lost`: the request was sent, and the answer did
 * not arrive, so the provider may have given new tokens.
 */
export interface ProviderFailure {
  failure: 'unavailable' | 'unclear' | 'lost' | 'invalid_grant' | 'refused'
  detail: string
}

interface Client {
  provider: OAuthProvider
  secret: string
  /** rules for every request to the provider */
  egress: string[]
}

/** What a flow is proved with: the state, the code verifier (RFC 7636), and the value of the browser's cookie or a code to type in. */
export interface FlowSecrets {
  state: string
  verifier: string
  browser: string
  code: string
}

/** A client of OAuth 2 providers. Every request is checked as those of operators are, and limited in size and time. */
export interface OAuthClient {
  flowSecrets(): FlowSecrets
  /** where a person consents */
  authorizationUrl(
    client: Omit<Client, 'secret'>,
    flow: Pick<FlowSecrets, 'state' | 'verifier'> & { redirect_uri: string },
  ): Promise<{ url: string } | ProviderFailure>
  /** Trades the code of a callback, whose state and issuer are checked, for tokens. */
  exchange(
    client: Client,
    flow: Pick<FlowSecrets, 'state' | 'verifier'> & { callback: string },
  ): Promise<ProviderTokens | ProviderFailure>
  refresh(client: Client, refresh_token: string): Promise<ProviderTokens | ProviderFailure>
  /** Ends tokens at the provider (RFC 7009). `unsupported`: its metadata names no endpoint for that. */
  revoke(client: Client, token: RevokedToken): Promise<'revoked' | 'unsupported' | ProviderFailure>
}

interface RevokedToken {
  token: string
  hint: 'access_token' | 'refresh_token'
}

export function createOAuthClient(egress: Pick<EgressClient, 'request'>): OAuthClient {
  const configured = (client: Omit<Client, 'secret'> & { secret?: string }) => configure(egress, client)
  return {
    flowSecrets: () => ({
      state: oauth.randomState(),
      verifier: oauth.randomPKCECodeVerifier(),
      browser: oauth.randomState(),
      code: Array.from({ length: 8 }, () => CODE_LETTERS[randomInt(CODE_LETTERS.length)]).join(''),
    }),

    async authorizationUrl(client, { state, verifier, redirect_uri }) {
      try {
        const { scopes } = client.provider
        const url = oauth.buildAuthorizationUrl(await configured(client), {
          redirect_uri,
          state,
          response_type: 'code',
          code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
          code_challenge_method: 'S256',
          ...(scopes.length > 0 && { scope: scopes.join(' ') }),
          // without it many providers give no refresh token
          ...(scopes.includes('offline_access') && { prompt: 'consent' }),
          ...resourceOf(client),
        })
        // it is opened in the browser of an admin
        return /^https?:$/.test(url.protocol)
          ? { url: url.href }
          : { failure: 'refused', detail: 'its authorization endpoint is no web page' }
      } catch (error) {
        return failureOf(error)
      }
    },

    async exchange(client, { state, verifier, callback }) {
      try {
        const checks = { expectedState: state, pkceCodeVerifier: verifier }
        const config = await configured(client)
        return tokensOf(await oauth.authorizationCodeGrant(config, new URL(callback), checks, resourceOf(client)))
      } catch (error) {
        return failureOf(error)
      }
    },

    async refresh(client, refresh_token) {
      try {
        const config = await configured(client)
        const answer = oauth.refreshTokenGrant(config, refresh_token, resourceOf(client))
        return tokensOf(await answer.catch(throwLost))
      } catch (error) {
        return error instanceof LostAnswer ? LOST : failureOf(error)
      }
    },

    async revoke(client, { token, hint }) {
      try {
        const config = await configured(client)
        if (config.serverMetadata().revocation_endpoint === undefined) return 'unsupported'
        await oauth.tokenRevocation(config, token, { token_type_hint: hint })
        return 'revoked'
      } catch (error) {
        return failureOf(error)
      }
    },
  }
}

class LostAnswer extends Error {}

const LOST: ProviderFailure = {
  failure: 'lost',
  detail: 'the answer of the provider was lost: whether it gave new tokens is not known',
}

/** The request may have been handled: it was sent and not answered, or a gateway gave up on the provider. */
function throwLost(error: unknown): never {
  const unreached = unreachedOf(error)
  const is_lost = unreached?.details?.['sent'] === true && LOST_CODES.has(unreached.code)
  if (is_lost || [502, 504].includes(statusOf(error) ?? 0)) throw new LostAnswer('', { cause: error })
  throw error
}

const LOST_CODES: ReadonlySet<string> = new Set(['connection_lost', 'timeout', 'aborted'])

const resourceOf = ({ provider: { resource } }: Pick<Client, 'provider'>): Record<string, string> =>
  resource === undefined ? {} : { resource }

/** Finds the provider's metadata where its endpoints are not given: OpenID Connect Discovery, else RFC 8414. */
async function configure(
  egress: Pick<EgressClient, 'request'>,
  { provider, secret, egress: rules }: Omit<Client, 'secret'> & { secret?: string },
): Promise<oauth.Configuration> {
  const { issuer, client_id, authorization_endpoint, token_endpoint } = provider
  const fetch = fetchThrough(egress, rules, AbortSignal.timeout(WITHIN_MS))
  const insecure = issuer.startsWith('http:') ? [oauth.allowInsecureRequests] : []
  const options = { [oauth.customFetch]: fetch, execute: insecure, timeout: WITHIN_MS / 1_000 }
  const authentication: oauth.ClientAuth = (server, client, body, headers) => {
    const posts = server.token_endpoint_auth_methods_supported?.includes('client_secret_post') ?? !metadata_found
    const authenticate = posts ? oauth.ClientSecretPost(secret) : oauth.ClientSecretBasic(secret)
    authenticate(server, client, body, headers)
  }
  const metadata_found = authorization_endpoint === undefined || token_endpoint === undefined
  if (metadata_found) {
    const discover = (algorithm: 'oidc' | 'oauth2') =>
      oauth.discovery(new URL(issuer), client_id, {}, authentication, { ...options, algorithm })
    return await discover('oidc').catch((error: unknown) => {
      if (statusOf(error) !== 404) throw error
      return discover('oauth2')
    })
  }
  const config = new oauth.Configuration(
    { issuer, authorization_endpoint, token_endpoint },
    client_id,
    {},
    authentication,
  )
  config[oauth.customFetch] = fetch
  for (const allow of insecure) allow(config)
  return config
}

/** No redirect is followed: what comes back is the provider's own. */
function fetchThrough(egress: Pick<EgressClient, 'request'>, rules: string[], signal: AbortSignal): oauth.CustomFetch {
  return async (url, { method, headers, body }) => {
    const answer = await egress.request({
      method,
      url,
      headers,
      egress: rules,
      signal,
      max_bytes: MAX_BYTES,
      max_redirects: 0,
      ...(body !== undefined && body !== null && { body: Buffer.from(String(body)) }),
    })
    const hasBody = ![204, 205, 304].includes(answer.status)
    const text = method === 'POST' ? withoutNulls(answer.body) : answer.body
    return new Response(hasBody ? new Uint8Array(text) : null, { ...answer })
  }
}

/** An answer of a token endpoint without its null members, which some providers send for what they leave out. */
function withoutNulls(body: Uint8Array): Uint8Array {
  const entries = Object.entries(Object(foreignJsonIn(new TextDecoder().decode(body))))
  const said = entries.filter(([, value]) => value !== null)
  return said.length === entries.length ? body : Buffer.from(JSON.stringify(Object.fromEntries(said)))
}

const MAX_SCOPES = 100
const LONGEST_LIFE_S = 366 * 86_400

/** RFC 6749 appendix A.12: other text would be a part of the request, and not of its header. */
const TOKEN = /^[\x20-\x7e]+$/

function tokensOf({
  access_token,
  refresh_token,
  scope,
  expires_in,
}: oauth.TokenEndpointResponse): ProviderTokens | ProviderFailure {
  if (![access_token, refresh_token ?? 'none'].every((token) => TOKEN.test(token)))
    return { failure: 'unclear', detail: 'its tokens have characters that no token has' }
  return {
    access_token,
    refresh_token,
    expires_in_s: expires_in === undefined ? undefined : Math.min(expires_in, LONGEST_LIFE_S),
    scopes: scope?.split(' ').filter((name, at) => at < MAX_SCOPES && SCOPE.test(name)),
  }
}

/** The status of an answer that was no success. */
function statusOf(error: unknown): number | undefined {
  if (error instanceof oauth.ResponseBodyError) return error.status
  const cause = error instanceof Error ? error.cause : undefined
  return cause instanceof Response ? cause.status : undefined
}

/** What the egress client has thrown, which the library wraps. */
function unreachedOf(error: unknown): OperatorError | undefined {
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth += 1)
    if (at instanceof OperatorError) return at
  return undefined
}

function failureOf(error: unknown): ProviderFailure {
  const unreached = unreachedOf(error)
  if (unreached !== undefined) return { failure: 'unavailable', detail: `the provider: ${unreached.message}` }
  const status = statusOf(error)
  if (status !== undefined && ((status >= 500 && status < 600) || status === 429 || status === 408))
    return { failure: 'unavailable', detail: `the provider answers ${status}` }
  const code =
    error instanceof oauth.ResponseBodyError || error instanceof oauth.AuthorizationResponseError ? error.error : ''
  const said = KNOWN_ERRORS.find((known) => known === code)
  if (said === 'invalid_grant') return { failure: said, detail: 'the provider no longer accepts what was authorised' }
  if (said !== undefined) return { failure: 'refused', detail: `the provider answers ${said}` }
  if (error instanceof oauth.WWWAuthenticateChallengeError)
    return { failure: 'refused', detail: 'the provider does not accept the client' }
  if (status !== undefined) return { failure: 'unclear', detail: `the provider answers ${status}` }
  const reason = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (reason.startsWith('OAUTH_')) return { failure: 'unclear', detail: `its answer is not accepted (${reason})` }
  // metadata of other types than these come out of the library as a TypeError
  if (error instanceof oauth.ClientError || error instanceof TypeError)
    return { failure: 'unclear', detail: 'its answer is not accepted (it cannot be read)' }
  throw error
}
