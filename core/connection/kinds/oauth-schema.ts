import { z } from 'zod'
import { type ConnectionAuth, User } from './define-kind-schema.ts'
import { isBaseUrl } from './over-http-schema.ts'

/** RFC 6749 appendix A.4. */
export const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]{1,200}$/

/** The fields of one way to sign in; a form shows them with it. */
const OAUTH = { group: 'oauth2' } as const

const ProviderUrl = z
  .string()
  .max(2_000)
  .refine(
    isProviderUrl,
    'an https url (http on this machine alone) without user, password, query and fragment, its host as it is sent (`xn--` for other letters)',
  )

/** The settings of a kind that can sign in by OAuth 2, beside its own. */
export const OAUTH_SHAPE = {
  issuer: ProviderUrl.exactOptional().meta({
    title: 'Issuer',
    ...OAUTH,
    description: 'For OAuth 2: the provider, as its metadata names it (RFC 8414)',
    example: 'https://login.example.com',
  }),
  client_id: User.exactOptional().meta({
    title: 'Client ID',
    ...OAUTH,
    description: 'For OAuth 2: of the client at the provider',
  }),
  scopes: z
    .array(z.string().regex(SCOPE, 'a scope is printable text without spaces'))
    .max(50)
    .exactOptional()
    .meta({
      title: 'Scopes',
      ...OAUTH,
      description: 'For OAuth 2: what is asked for',
      example: ['read', 'offline_access'],
    }),
  resource: ProviderUrl.exactOptional().meta({
    title: 'Resource',
    ...OAUTH,
    description: 'For OAuth 2: what the token is for, where the provider asks (RFC 8707)',
  }),
  authorization_endpoint: ProviderUrl.exactOptional().meta({
    title: 'Authorization endpoint',
    ...OAUTH,
    description: 'For a provider without metadata, with the token endpoint',
  }),
  token_endpoint: ProviderUrl.exactOptional().meta({ title: 'Token endpoint', ...OAUTH }),
}

export const OauthConfig = z.object(OAUTH_SHAPE)
type OauthConfig = z.output<typeof OauthConfig>

/** What is missing for a way to sign in, or does not belong to it. */
export function oauthProblem(config: OauthConfig, auth: ConnectionAuth) {
  return auth === 'oauth2' ? missingOfOauth(config) : unexpectedOauthField(config)
}

/** Tokens go to the service, the secret of the client to the provider. */
export function receiversOf(url: string, config: OauthConfig): string {
  const { issuer, client_id, authorization_endpoint, token_endpoint } = config
  return [
    ...[new URL(url).href, issuer, client_id && encodeURIComponent(client_id)],
    ...[authorization_endpoint, token_endpoint],
  ]
    .filter((part) => part !== undefined)
    .join(' ')
}

const OAUTH_FIELDS = ['issuer', 'client_id', 'scopes', 'resource', 'authorization_endpoint', 'token_endpoint'] as const

/** What OAuth 2 does not do without. */
function missingOfOauth({ issuer, client_id, authorization_endpoint, token_endpoint }: OauthConfig) {
  if (issuer === undefined) return { field: 'issuer', message: 'OAuth 2 takes the issuer' }
  if (client_id === undefined) return { field: 'client_id', message: 'OAuth 2 takes the id of the client' }
  if ((authorization_endpoint === undefined) === (token_endpoint === undefined)) return undefined
  const field = token_endpoint === undefined ? 'token_endpoint' : 'authorization_endpoint'
  return { field, message: 'give both endpoints, or neither' }
}

/** A field of OAuth 2 without it. */
function unexpectedOauthField(config: OauthConfig) {
  const field = OAUTH_FIELDS.find((name) => config[name] !== undefined)
  return field && { field, message: 'this belongs to OAuth 2; leave it out, or choose oauth2' }
}

function isProviderUrl(text: string): boolean {
  if (!isBaseUrl(text) || !/^(https:|http:\/\/(localhost|127\.0\.0\.1|\[::1\])([:/]|$))/i.test(text)) return false
  // it is compared with what the provider says of itself, so it stays as it is written
  const [, written] = /^\w+:\/\/([^/\\:[]+|\[[^\]]*\])(:\d+)?(\/[^\\]*)?$/.exec(text) ?? []
  return written?.toLowerCase() === new URL(text).hostname
}
