import { z } from 'zod'

// biome-ignore lint/suspicious/noControlCharactersInRegex: it refuses them
const PLAIN = /^[^\x00-\x1f\x7f]*$/

export const Text = z.string({ error: ({ input }) => (input === undefined ? 'is missing' : 'must be text') })
export const User = Text.min(1, 'is missing').max(200).regex(PLAIN, 'text without control characters')

/** The fields of one way to sign in; a form shows them with it. */
const OAUTH = { group: 'oauth2' } as const

const ProviderUrl = z
  .string()
  .max(2_000)
  .refine(
    isProviderUrl,
    'an https url (http on this machine alone) without user, password, query and fragment, its host as it is sent (`xn--` for other letters)',
  )

export const baseUrl = (about: { title: string; description: string; example: string }) =>
  Text.max(2_000)
    .refine(isBaseUrl, 'an http or https url without user, password, query and fragment')
    .meta({ ...about, format: 'uri' })
    // people read the host that the secret goes to, in one spelling
    .transform((text) => new URL(text).href)

/** Of a service over HTTP, with the provider where it is signed in to by OAuth 2. */
export const HttpConfig = z.strictObject({
  base_url: baseUrl({
    title: 'Base URL',
    description: 'Urls of steps are relative to it',
    example: 'https://api.example.com/v1/',
  }),
  user: User.optional().meta({ title: 'User', group: 'basic', description: 'For basic authentication' }),
  test_path: z
    .string()
    .min(1)
    .max(500)
    .regex(/^[^\s?#][^\s#]*$/, 'a path without spaces and fragment')
    .optional()
    .meta({
      title: 'Path for tests',
      description: 'A test asks for it; it answers 2xx when the credentials are right. Default: the base URL',
      example: 'me',
    }),
  issuer: ProviderUrl.optional().meta({
    title: 'Issuer',
    ...OAUTH,
    description: 'For OAuth 2: the provider, as its metadata names it (RFC 8414)',
    example: 'https://login.example.com',
  }),
  client_id: User.optional().meta({
    title: 'Client ID',
    ...OAUTH,
    description: 'For OAuth 2: of the client at the provider',
  }),
  scopes: z
    .array(z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]{1,200}$/, 'a scope is printable text without spaces'))
    .max(50)
    .optional()
    .meta({
      title: 'Scopes',
      ...OAUTH,
      description: 'For OAuth 2: what is asked for',
      example: ['read', 'offline_access'],
    }),
  resource: ProviderUrl.optional().meta({
    title: 'Resource',
    ...OAUTH,
    description: 'For OAuth 2: what the token is for, where the provider asks (RFC 8707)',
  }),
  authorization_endpoint: ProviderUrl.optional().meta({
    title: 'Authorization endpoint',
    ...OAUTH,
    description: 'For a provider without metadata, with the token endpoint',
  }),
  token_endpoint: ProviderUrl.optional().meta({ title: 'Token endpoint', ...OAUTH }),
})
export type HttpConfig = z.output<typeof HttpConfig>

const OAUTH_FIELDS = ['issuer', 'client_id', 'scopes', 'resource', 'authorization_endpoint', 'token_endpoint'] as const

/** What OAuth 2 does not do without. */
export function missingOfOauth({ issuer, client_id, authorization_endpoint, token_endpoint }: HttpConfig) {
  if (issuer === undefined) return { field: 'issuer', message: 'OAuth 2 takes the issuer' }
  if (client_id === undefined) return { field: 'client_id', message: 'OAuth 2 takes the id of the client' }
  if ((authorization_endpoint === undefined) === (token_endpoint === undefined)) return undefined
  const field = token_endpoint === undefined ? 'token_endpoint' : 'authorization_endpoint'
  return { field, message: 'give both endpoints, or neither' }
}

/** A field of OAuth 2 without it. */
export function strayOfOauth(config: HttpConfig) {
  const field = OAUTH_FIELDS.find((name) => config[name] !== undefined)
  return field && { field, message: 'this belongs to OAuth 2; leave it out, or choose oauth2' }
}

function isProviderUrl(text: string): boolean {
  if (!isBaseUrl(text) || !/^(https:|http:\/\/(localhost|127\.0\.0\.1|\[::1\])([:/]|$))/i.test(text)) return false
  // it is compared with what the provider says of itself, so it stays as it is written
  const [, written] = /^\w+:\/\/([^/\\:[]+|\[[^\]]*\])(:\d+)?(\/[^\\]*)?$/.exec(text) ?? []
  return written?.toLowerCase() === new URL(text).hostname
}

function isBaseUrl(text: string): boolean {
  if (!/^https?:\/\/[^/?#@\s]+(\/[^?#\s]*)?$/i.test(text) || !URL.canParse(text)) return false
  const { username, password } = new URL(text)
  return username === '' && password === ''
}
