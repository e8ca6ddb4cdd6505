import { z } from 'zod'
import { NAME, NAME_RULE, WORKSPACE_SLUG } from '../names/name-schema.ts'
import { CONNECTION_KINDS } from './kind-schema.ts'
import { CONNECTION_AUTH } from './kinds/define-kind-schema.ts'

export const CONNECTION_STATUSES = ['untested', 'healthy', 'degraded', 'failed'] as const
export type ConnectionStatus = (typeof CONNECTION_STATUSES)[number]

const Time = z.iso.datetime().meta({ description: 'RFC 3339, UTC, milliseconds', example: '2026-01-05T09:30:00.000Z' })

export const ConnectionId = z
  .string()
  .regex(/^conn_[0-9a-z]{26}$/)
  .meta({ description: 'Identifier of a connection', example: 'conn_01hzy3v9k5m8q2w4x6z8b0d2f4' })

const Name = z
  .string()
  .regex(new RegExp(`^(?!conn_)${NAME}$`), NAME_RULE)
  .meta({ description: 'Environments refer to it as `connection:<name>`; it never changes', example: 'billing-api' })
const Kind = z.enum(CONNECTION_KINDS)
const Auth = z.enum(CONNECTION_AUTH).meta({ description: 'How it signs in. Default: the first that the kind takes' })
const Config = z.record(z.string(), z.unknown()).meta({
  description: 'Where it leads, by the JSON Schema of its kind (`GET /ui/api/connection-kinds`); no secret',
  example: { base_url: 'https://api.example.com/v1/' },
})
const Secret = z
  .string()
  .min(1)
  .max(8_192)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it refuses them
  .regex(/^[^\x00-\x1f\x7f]+$/, 'text without control characters')
  .meta({
    description: 'Token, password, or secret of the OAuth client: write-only, no answer has it',
    format: 'password',
    writeOnly: true,
  })
const Workspaces = z
  .array(z.string().regex(new RegExp(`^(\\*|${WORKSPACE_SLUG})$`), 'the slug of a workspace, or "*" for all'))
  .min(1)
  .max(1_000)
  .refine((slugs) => !slugs.includes('*') || slugs.length === 1, '"*" means all workspaces, so it must be the only one')
  .meta({ description: 'Slugs of the workspaces whose runs may use it, `*` for all', example: ['default'] })

export const ConnectionTest = z.object({
  at: Time,
  ok: z.boolean(),
  latency_ms: z.int().min(0),
  detail: z.string().meta({ description: 'What was found, in words; never what the target says' }),
})
export type ConnectionTest = z.output<typeof ConnectionTest>

export const AUTHORIZATION_STATES = ['active', 'degraded', 'failed', 'unknown'] as const
export type AuthorizationState = (typeof AUTHORIZATION_STATES)[number]

/** What a person has authorised at the provider of a connection. */
const ConnectionAuthorization = z.object({
  authorized_by: z.string(),
  authorized_at: Time,
  scopes: z.array(z.string()).meta({ description: 'What the provider has granted' }),
  missing_scopes: z.array(z.string()).meta({ description: 'What was asked for, and not granted' }),
  state: z.enum(AUTHORIZATION_STATES).meta({
    description:
      'Of its refresh. `degraded`: the provider did not answer; `failed`: it must be authorised again; `unknown`: a process ended during a refresh',
  }),
  since: Time.meta({ description: 'Since when it is in this state' }),
  detail: z.string().optional().meta({ description: 'Why it is not active' }),
  expires_at: Time.optional().meta({
    description: 'When the access token ends; absent where the provider does not say',
  }),
  refreshable: z.boolean().meta({ description: 'Without a refresh token it is authorised again when it ends' }),
})

export const OauthStart = z
  .strictObject({
    environment: z.string().min(1).max(100).optional().meta({
      description: 'Whose egress rules hold for requests to the provider; default: that of runs that name none',
      example: 'staging',
    }),
    confirm: z.enum(['browser', 'code']).optional().meta({
      description:
        'What proves that the browser which comes back is that of who began: a cookie of this answer, as without it, or a code that the terminal shows and the person types in',
      example: 'code',
    }),
  })
  .meta({ id: 'OauthStart', description: 'Begins an authorisation.' })

export const OauthStarted = z
  .object({
    authorization_url: z.url().meta({
      description: 'The page of the provider: open it in this browser',
      example: 'https://login.example.com/authorize?client_id=svc&response_type=code',
    }),
    expires_at: Time.meta({ description: 'Until then the provider can lead back' }),
    code: z.string().optional().meta({
      description:
        'With `confirm: code`: show it to the person, who types it into the page to which the provider leads back',
      example: 'BKTR-4WQX',
    }),
  })
  .meta({ id: 'OauthStarted', description: 'An authorisation that has begun.' })

export const ConnectionDraft = z.strictObject({
  name: Name,
  kind: Kind,
  auth: Auth.optional(),
  config: Config,
  secret: Secret.optional(),
  workspaces: Workspaces.optional().meta({ description: 'Slugs of the workspaces; the default workspace without it' }),
})
export type ConnectionDraft = z.output<typeof ConnectionDraft>

export const ConnectionEdit = z
  .strictObject({
    kind: Kind.optional(),
    auth: Auth.optional(),
    config: Config.optional().meta({ description: 'Replaces all of it' }),
    secret: Secret.optional(),
    workspaces: Workspaces.optional(),
  })
  .refine((edit) => Object.keys(edit).length > 0, 'nothing is to be changed')
export type ConnectionEdit = z.output<typeof ConnectionEdit>

/** What is tested: a stored connection, a changed one before it is saved, or a draft. */
export const ConnectionTestRequest = z.strictObject({
  id: ConnectionId.optional().meta({
    description: 'A stored connection; the other fields change it for the test only',
  }),
  environment: z
    .string()
    .min(1)
    .max(100)
    .optional()
    .meta({ description: 'Whose egress rules apply; default: that of runs that name none', example: 'staging' }),
  kind: Kind.optional(),
  auth: Auth.optional(),
  config: Config.optional(),
  secret: Secret.optional(),
})
export type ConnectionTestRequest = z.output<typeof ConnectionTestRequest>

export const ConnectionTestResult = z
  .object({
    ...ConnectionTest.shape,
    status: z.enum(['healthy', 'degraded', 'failed']),
    environment: z.string(),
  })
  .meta({ id: 'ConnectionTestResult', description: 'The outcome of a test: checks, never an answer of the target.' })
export type ConnectionTestResult = z.output<typeof ConnectionTestResult>

export const ConnectionRecord = z
  .object({
    id: ConnectionId,
    account_id: z.string(),
    name: Name,
    kind: Kind,
    auth: Auth,
    config: Config,
    leads_to: z.string().meta({
      description: 'Where it leads: a base URL, a server with its database, or a bucket',
      example: 'https://api.example.com/v1/',
    }),
    secret: z.object({ set: z.boolean(), fingerprint: z.string().optional() }).meta({
      description: 'Whether it has a secret; the fingerprint tells two secrets apart and says nothing else of them',
      example: { set: true, fingerprint: '5f2c9a1e' },
    }),
    workspaces: z.array(z.string()),
    status: z.enum(CONNECTION_STATUSES),
    problem: z.string().optional().meta({
      description:
        'Why it cannot be used, or soon cannot, since when, and what to do: a lost key, a failed test, an authorisation that failed, is unknown, or ends within a week',
      example:
        'it ends at 2026-01-07T09:30:00.000Z, and there is no refresh token: an admin authorises it again: svc connections authorize crm',
    }),
    grant: ConnectionAuthorization.optional().meta({ description: 'With `oauth2`: what was authorised' }),
    last_test: ConnectionTest.optional(),
    version: z.int().min(1).meta({ description: 'Counts the changes of where it leads and of its secret' }),
    bound_by: z
      .array(z.object({ environment: z.string(), name: z.string() }))
      .meta({ description: 'Environments that refer to it, and their name for it; it cannot be deleted meanwhile' }),
    last_used_at: Time.optional(),
    uses_per_day: z
      .array(z.object({ day: z.iso.date(), uses: z.int().min(1) }))
      .optional()
      .meta({
        description:
          'Steps that have used it, by UTC day, of the last 30 days; without days of no use. Of the workspace of the request, or of all for who may enter all. Only where one connection is read',
        example: [{ day: '2026-01-05', uses: 42 }],
      }),
    created_by: z.string(),
    created_at: Time,
    author: z.string().meta({ description: 'Who changed it last' }),
    updated_at: Time,
    digest: z.string().meta({ description: 'Of all that can be changed, the secret by its fingerprint' }),
    etag: z.string().meta({ description: 'For `If-Match`' }),
  })
  .meta({ id: 'Connection', description: 'A connection, without its secret.' })
export type ConnectionRecord = z.output<typeof ConnectionRecord>

export const ConnectionKindForm = z
  .object({
    kind: Kind,
    title: z.string(),
    auth: z.array(z.enum(CONNECTION_AUTH)).meta({ description: 'What it takes, the usual one first' }),
    secret: z.string().meta({ description: 'What its secret is called' }),
    schema: z.record(z.string(), z.unknown()).meta({ description: 'JSON Schema of `config`' }),
  })
  .meta({ id: 'ConnectionForm', description: 'A kind of connection, as a form is drawn from it.' })
