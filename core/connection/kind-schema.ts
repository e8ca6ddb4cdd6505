import { z } from 'zod'
import type { JsonObject } from '../json/json.ts'
import type { ConnectionAuth, Kind } from './kinds/define-kind-schema.ts'
import { httpKind } from './kinds/http-schema.ts'
import { mcpKind } from './kinds/mcp-schema.ts'
import { OauthConfig } from './kinds/oauth-schema.ts'
import { postgresKind } from './kinds/postgres-schema.ts'
import { prometheusKind } from './kinds/prometheus-schema.ts'
import { s3Kind } from './kinds/s3-schema.ts'
import { slackKind } from './kinds/slack-schema.ts'
import { smtpKind } from './kinds/smtp-schema.ts'

/** The kinds that an operator reads. */
export const CONNECTION_KINDS = ['http', 'postgres', 'prometheus', 'smtp', 'slack', 's3', 'mcp'] as const
export type ConnectionKind = (typeof CONNECTION_KINDS)[number]

/** Where it leads and how it signs in, without the secret. */
export interface ConnectionSettings {
  kind: ConnectionKind
  auth: ConnectionAuth
  config: JsonObject
}

const KINDS: Record<ConnectionKind, Kind> = {
  http: httpKind,
  postgres: postgresKind,
  prometheus: prometheusKind,
  smtp: smtpKind,
  slack: slackKind,
  s3: s3Kind,
  mcp: mcpKind,
}

/** The kinds as a form is drawn from them. */
export const CONNECTION_FORMS = CONNECTION_KINDS.map((kind) => {
  const { title, auth, secret, config } = KINDS[kind]
  return { kind, title, auth: [...auth], secret, schema: z.toJSONSchema(config, { io: 'input' }) }
})

/** The usual authentication of a kind. */
export function defaultAuth(kind: ConnectionKind): ConnectionAuth {
  return KINDS[kind].auth[0]
}

/** A fault of a draft, by the path of its field. */
export interface SettingsFault {
  path: (string | number)[]
  message: string
}

/** Checks settings; defaults are filled in. */
export function checkSettings(
  draft: ConnectionSettings,
): { settings: ConnectionSettings } | { faults: SettingsFault[] } {
  const { kind, auth } = draft
  const { config, auth: takes, problem } = KINDS[kind]
  if (!takes.includes(auth)) return { faults: [{ path: ['auth'], message: `${kind} takes ${takes.join(', ')}` }] }
  const parsed = config.safeParse(draft.config)
  if (!parsed.success) {
    const faults = parsed.error.issues.map(({ path, message }) => ({ path: ['config', ...path.map(String)], message }))
    return { faults }
  }
  const missing = problem(parsed.data, auth)
  if (missing !== undefined) return { faults: [{ path: ['config', missing.field], message: missing.message }] }
  return { settings: { kind, auth, config: parsed.data } }
}

/** Who receives the secret, and how: a secret is sealed for it, and asked for again when it changes. */
export function addressOf({ kind, auth, config }: ConnectionSettings): string {
  return `${kind} ${auth} ${KINDS[kind].address(config)}`
}

/** Where it leads, for people. */
export function leadsTo({ kind, config }: ConnectionSettings): string {
  return KINDS[kind].leadsTo(config)
}

/** The url as operators read it, with the secret in it. */
export function connectionUrl({ kind, auth, config }: ConnectionSettings, secret: string): string {
  return KINDS[kind].url(config, auth, secret)
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

/** Throws for settings that do not sign in by OAuth. */
export function providerOf({ auth, config }: Pick<ConnectionSettings, 'auth' | 'config'>): OAuthProvider {
  const { issuer, client_id, scopes = [], resource, authorization_endpoint, token_endpoint } = OauthConfig.parse(config)
  if (auth !== 'oauth2' || issuer === undefined || client_id === undefined) throw new Error('it has no provider')
  return {
    issuer,
    client_id,
    scopes,
    ...(resource !== undefined && { resource }),
    ...(authorization_endpoint !== undefined && { authorization_endpoint }),
    ...(token_endpoint !== undefined && { token_endpoint }),
  }
}

/** True where what was authorised with one is good for the other. */
export function keepsAuthorization(before: ConnectionSettings, after: ConnectionSettings): boolean {
  if (after.auth !== 'oauth2' || addressOf(before) !== addressOf(after)) return false
  const [{ scopes: one, resource: of }, { scopes: other, resource: to }] = [providerOf(before), providerOf(after)]
  return of === to && one.toSorted().join(' ') === other.toSorted().join(' ')
}
