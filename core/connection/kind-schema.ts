import { z } from 'zod'
import { isLoopback } from '../egress/classify.ts'
import type { JsonObject } from '../json/json.ts'
import { baseUrl, HttpConfig, missingOfOauth, strayOfOauth, Text, User } from './http-schema.ts'
import { S3Config, s3Address, s3Url } from './s3-schema.ts'

/** The kinds that an operator reads. */
export const CONNECTION_KINDS = ['http', 'postgres', 'prometheus', 'smtp', 'slack', 's3'] as const
export type ConnectionKind = (typeof CONNECTION_KINDS)[number]

export const CONNECTION_AUTH = ['none', 'basic', 'bearer', 'key', 'oauth2'] as const
export type ConnectionAuth = (typeof CONNECTION_AUTH)[number]

/** Names a place and a way in, and no secret. */
export interface ConnectionPlace {
  kind: ConnectionKind
  auth: ConnectionAuth
  config: JsonObject
}

interface Kind<Config> {
  title: string
  auth: readonly [ConnectionAuth, ...ConnectionAuth[]]
  /** how people call the secret of each kind of authentication */
  secret: string
  config: z.ZodType<Config>
  /** what is missing for this kind of authentication */
  problem(config: Config, auth: ConnectionAuth): { field: string; message: string } | undefined
  /** the part of it that decides who receives the secret */
  address(config: Config): string
  /** where it leads, for people */
  leadsTo(config: Config): string
  url(config: Config, auth: ConnectionAuth, secret: string): string
}

export const HOST = /^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*|\[[0-9a-f:.]+\])$/i
const host = (example: string) =>
  Text.max(253)
    .refine(isHost, 'a host name or an IP address')
    .meta({ title: 'Host', widget: 'text', example })
    .transform((text) => new URL(`http://${text}`).hostname)
const PORT = 'a port from 1 to 65535'
const Port = z.int(PORT).min(1, PORT).max(65_535, PORT)

const PostgresConfig = z.strictObject({
  host: host('db.example.com'),
  port: Port.default(5_432).meta({ title: 'Port' }),
  database: Text.regex(/^[A-Za-z0-9_][A-Za-z0-9_.-]{0,62}$/, 'letters, digits, underscores, dots and dashes').meta({
    title: 'Database',
    example: 'app',
  }),
  user: User.meta({ title: 'User', example: 'svc' }),
  sslmode: z
    .enum(['disable', 'prefer', 'require', 'verify-full'])
    .default('require')
    .meta({ title: 'TLS', description: '`verify-full` also checks the certificate' }),
})

const PrometheusConfig = z.strictObject({
  base_url: baseUrl({
    title: 'Base URL',
    description: 'Of Prometheus, or of what answers `/api/v1/query` as it does',
    example: 'https://prometheus.example.com/',
  }),
  user: User.optional().meta({ title: 'User', group: 'basic', description: 'For basic authentication' }),
})

const SlackConfig = z.strictObject({
  base_url: baseUrl({
    title: 'API URL',
    description: 'Of the Web API; another one for a gateway',
    example: 'https://slack.com/api/',
  }).default('https://slack.com/api/'),
})

const SmtpConfig = z.strictObject({
  host: host('smtp.example.com'),
  port: Port.optional().meta({ title: 'Port', description: 'Default: 587, or 465 with implicit TLS' }),
  tls: z
    .enum(['starttls', 'implicit', 'none'])
    .default('starttls')
    .meta({ title: 'TLS', description: '`none` is for a server on the same machine alone' }),
  user: User.optional().meta({ title: 'User', group: 'basic', description: 'For basic authentication' }),
})
const smtpPort = ({ port, tls }: z.output<typeof SmtpConfig>) => port ?? (tls === 'implicit' ? 465 : 587)

/** What kinds that are reached over HTTP have in common. */
const OVER_HTTP: Omit<Kind<{ base_url: string; user?: string | undefined }>, 'title' | 'config'> = {
  auth: ['bearer', 'basic', 'none'],
  secret: 'Token or password',
  problem({ user }, auth) {
    // RFC 7617: what follows a colon is the password
    if (auth === 'basic' && user?.includes(':') === true)
      return { field: 'user', message: 'a user of basic authentication has no colon' }
    return userProblem(user, auth)
  },
  address: ({ base_url }) => new URL(base_url).href,
  leadsTo: ({ base_url }) => base_url,
  url({ base_url, user = '' }, auth, secret) {
    const url = new URL(base_url)
    if (auth === 'none') return url.href
    url.username = encodeURIComponent(user)
    url.password = encodeURIComponent(secret)
    return url.href
  },
}

const KINDS: {
  http: Kind<HttpConfig>
  postgres: Kind<z.output<typeof PostgresConfig>>
  prometheus: Kind<z.output<typeof PrometheusConfig>>
  smtp: Kind<z.output<typeof SmtpConfig>>
  slack: Kind<z.output<typeof SlackConfig>>
  s3: Kind<S3Config>
} = {
  http: {
    ...OVER_HTTP,
    title: 'HTTP service',
    auth: ['bearer', 'basic', 'oauth2', 'none'],
    secret: 'Token, password, or secret of the OAuth client',
    config: HttpConfig,
    problem: (config, auth) =>
      OVER_HTTP.problem(config, auth) ?? (auth === 'oauth2' ? missingOfOauth(config) : strayOfOauth(config)),
    // tokens go to the service, the secret of the client to the provider
    address: ({ base_url, issuer, client_id, authorization_endpoint, token_endpoint }) =>
      [
        new URL(base_url).href,
        issuer,
        client_id && encodeURIComponent(client_id),
        authorization_endpoint,
        token_endpoint,
      ]
        .filter((part) => part !== undefined)
        .join(' '),
  },
  postgres: {
    title: 'PostgreSQL database',
    auth: ['basic', 'none'],
    secret: 'Password',
    config: PostgresConfig,
    problem: () => undefined,
    // a weaker TLS mode would show the password to others
    address: ({ host, port, sslmode }) => `${host.toLowerCase()}:${port} ${sslmode}`,
    leadsTo: ({ host, port, database }) => `${host}:${port}/${database}`,
    url({ host, port, database, user, sslmode }, auth, secret) {
      const password = auth === 'none' ? '' : `:${encodeURIComponent(secret)}`
      return `postgres://${encodeURIComponent(user)}${password}@${host}:${port}/${database}?sslmode=${sslmode}`
    },
  },
  prometheus: { title: 'Prometheus', config: PrometheusConfig, ...OVER_HTTP },
  slack: { ...OVER_HTTP, title: 'Slack', config: SlackConfig, auth: ['bearer'], secret: 'Bot token' },
  smtp: {
    title: 'Mail server (SMTP)',
    auth: ['basic', 'none'],
    secret: 'Password',
    config: SmtpConfig,
    problem({ user, host, tls }, auth) {
      if (tls === 'none' && !isLoopback(host.replace(/^\[|\]$/g, '')))
        return { field: 'tls', message: 'none is for a server on the same machine, such as 127.0.0.1' }
      return userProblem(user, auth)
    },
    // without TLS the password would be shown to others
    address: (config) => `${config.host.toLowerCase()}:${smtpPort(config)} ${config.tls}`,
    leadsTo: (config) => `${config.host}:${smtpPort(config)}`,
    url(config, auth, secret) {
      const { host, tls, user = '' } = config
      const login = auth === 'none' ? '' : `${encodeURIComponent(user)}:${encodeURIComponent(secret)}@`
      const scheme = tls === 'implicit' ? 'smtps' : 'smtp'
      return `${scheme}://${login}${host}:${smtpPort(config)}${tls === 'none' ? '?tls=none' : ''}`
    },
  },
  s3: {
    title: 'Object store (S3)',
    auth: ['key'],
    secret: 'Secret access key',
    config: S3Config,
    problem: () => undefined,
    address: s3Address,
    leadsTo: ({ endpoint, bucket, prefix = '' }) => `${endpoint}/${bucket}/${prefix}`,
    url: (config, _auth, secret) => s3Url(config, secret),
  },
}

function userProblem(user: string | undefined, auth: ConnectionAuth) {
  if (auth === 'basic' && user === undefined) return { field: 'user', message: 'basic authentication takes a user' }
  if (auth !== 'basic' && user !== undefined)
    return { field: 'user', message: 'a user means basic authentication; leave it out' }
  return undefined
}

const kindOf = (kind: ConnectionKind): Kind<JsonObject> => KINDS[kind] as unknown as Kind<JsonObject>

/** The kinds as a form is drawn from them. */
export const CONNECTION_FORMS = CONNECTION_KINDS.map((kind) => {
  const { title, auth, secret, config } = kindOf(kind)
  return { kind, title, auth: [...auth], secret, schema: z.toJSONSchema(config, { io: 'input' }) }
})

/** The usual authentication of a kind. */
export function defaultAuth(kind: ConnectionKind): ConnectionAuth {
  return kindOf(kind).auth[0]
}

/** A fault of a draft, by the path of its field. */
export interface PlaceFault {
  path: (string | number)[]
  message: string
}

/** Checks a place; defaults are filled in. */
export function checkPlace(draft: ConnectionPlace): { place: ConnectionPlace } | { faults: PlaceFault[] } {
  const { kind, auth } = draft
  const { config, auth: takes, problem } = kindOf(kind)
  if (!takes.includes(auth)) return { faults: [{ path: ['auth'], message: `${kind} takes ${takes.join(', ')}` }] }
  const parsed = config.safeParse(draft.config)
  if (!parsed.success) {
    const faults = parsed.error.issues.map(({ path, message }) => ({ path: ['config', ...path.map(String)], message }))
    return { faults }
  }
  const missing = problem(parsed.data, auth)
  if (missing !== undefined) return { faults: [{ path: ['config', missing.field], message: missing.message }] }
  return { place: { kind, auth, config: parsed.data } }
}

/** Who receives the secret, and how: a secret is sealed for it, and asked for again when it changes. */
export function addressOf({ kind, auth, config }: ConnectionPlace): string {
  return `${kind} ${auth} ${kindOf(kind).address(config)}`
}

/** Where it leads, for people. */
export function leadsTo({ kind, config }: ConnectionPlace): string {
  return kindOf(kind).leadsTo(config)
}

/** The url as operators read it, with the secret in it. */
export function connectionUrl({ kind, auth, config }: ConnectionPlace, secret: string): string {
  return kindOf(kind).url(config, auth, secret)
}

function isHost(text: string): boolean {
  return HOST.test(text) && URL.canParse(`http://${text}`)
}

/** Where the tokens of a connection come from. */
export interface OAuthProvider {
  issuer: string
  client_id: string
  scopes: string[]
  resource?: string
  authorization_endpoint?: string
  token_endpoint?: string
}

/** Throws for a place that does not sign in by OAuth. */
export function providerOf({ auth, config }: Pick<ConnectionPlace, 'auth' | 'config'>): OAuthProvider {
  const { issuer, client_id, scopes = [], resource, authorization_endpoint, token_endpoint } = HttpConfig.parse(config)
  if (auth !== 'oauth2' || issuer === undefined || client_id === undefined) throw new Error('it has no provider')
  return {
    ...{ issuer, client_id, scopes },
    ...(resource !== undefined && { resource }),
    ...(authorization_endpoint !== undefined && { authorization_endpoint }),
    ...(token_endpoint !== undefined && { token_endpoint }),
  }
}

/** True where what was authorised for one place is good for the other. */
export function keepsGrant(before: ConnectionPlace, after: ConnectionPlace): boolean {
  if (after.auth !== 'oauth2' || addressOf(before) !== addressOf(after)) return false
  const [{ scopes: one, resource: of }, { scopes: other, resource: to }] = [providerOf(before), providerOf(after)]
  return of === to && one.toSorted().join(' ') === other.toSorted().join(' ')
}
