import { z } from '@hono/zod-openapi'
import {
  ConnectionDraft,
  ConnectionEdit,
  ConnectionId,
  ConnectionKindForm,
  ConnectionRecord,
  ConnectionTestRequest,
  ConnectionTestResult,
  OauthStart,
  OauthStarted,
} from '#core/connection/schema.ts'
import { authorizeConnection, completeAuthorization } from '#services/connections/authorize-connection.ts'
import { connections, listConnectionKinds } from '#services/connections/connections.ts'
import { testConnection } from '#services/connections/test-connection.ts'
import { authoredRoutes, jsonDraft } from '../../authored-routes.ts'
import { defineRoute, HTML_PAGE, json, ok, optionalJson } from '../../define-route.ts'
import { browserOf, keepBrowser, OauthCompleted, refuseCallback, showAuthorization } from '../../pages/oauth-page.ts'
import { TokenRefusal } from '../auth/sign-in.ts'

const MAX_CONNECTION_BYTES = 65_536

export const connectionRoutes = authoredRoutes({
  verbs: connections,
  names: ['Connection', 'Connections'],
  path: '/ui/api/connections',
  params: z.object({ id: ConnectionId }),
  key: 'id',
  tags: ['connections'],
  record: ConnectionRecord,
  draft: jsonDraft(ConnectionDraft, MAX_CONNECTION_BYTES),
  edit: { method: 'patch', ...jsonDraft(ConnectionEdit, MAX_CONNECTION_BYTES) },
  list: {
    summary: 'List connections, by name',
    description:
      'Those that runs of the workspace may use; all of them for who may enter all workspaces. No answer has a secret. There are at most 200.',
    answer: 'The connections',
  },
  create: {
    summary: 'Make a connection',
    description:
      'Its secret is sealed and never shown again. Environments refer to it as `connection:<name>`. Takes an owner or admin of all workspaces; `POST /ui/api/connections/test` tests it before.',
    answer: 'The connection',
    problems: ['secret_required', 'conflict', 'not_configured'],
  },
  get: { summary: 'Read a connection', description: 'Without its secret.', answer: 'The connection' },
  update: {
    summary: 'Change a connection, its secret, or who may use it',
    description:
      'What is left out stays. A change of kind, host, base address, TLS or authentication takes the secret with it (`secret_required`): a stored secret is never sent elsewhere. Gates that were approved for the version before ask again. Takes an owner or admin of all workspaces.',
    answer: 'The connection as it is now',
    problems: ['secret_required', 'version_conflict', 'conflict', 'not_configured'],
  },
  delete: {
    summary: 'Delete a connection and its secret',
    description:
      'Refused with 409 while environments refer to it: `bound_by` names them. Takes an owner or admin of all workspaces.',
    answer: 'It was deleted',
    problems: ['version_conflict', 'conflict'],
  },
})

// no Idempotency-Key: a test is repeated by asking again
export const testConnectionRoute = defineRoute(
  {
    operationId: 'testConnection',
    method: 'post',
    path: '/ui/api/connections/test',
    tags: ['connections'],
    verb: testConnection,
    summary: 'Test a connection, also before it is saved',
    description:
      'Uses it once as a step would, under the egress rules of an environment, for at most ten seconds: a GET of an HTTP service, `select 1` on a database. `id` tests a stored connection, and keeps the outcome unless other fields change it. Answers what was found, never what the target says. Takes an owner or admin of all workspaces; it is recorded.',
    request: { body: json(ConnectionTestRequest) },
    responses: { 200: ok(ConnectionTestResult, 'What was found; a failed test is an answer too') },
    problems: ['secret_required', 'not_configured'],
    max_body_bytes: MAX_CONNECTION_BYTES,
  },
  async (c) => {
    const ctx = { ...c.get('ctx'), ...c.get('deps').authoring }
    return c.json(await testConnection(ctx, c.req.valid('json')), 200)
  },
)

export const listConnectionKindsRoute = defineRoute(
  {
    operationId: 'listConnectionKinds',
    method: 'get',
    path: '/ui/api/connection-kinds',
    tags: ['connections'],
    access: 'read',
    auth: 'user',
    scope: 'account',
    summary: 'List the kinds of connections',
    description: 'Each with the JSON Schema of its `config`, from which a form is drawn.',
    responses: { 200: ok(z.array(ConnectionKindForm), 'The kinds that operators use') },
  },
  (c) => c.json(listConnectionKinds(), 200),
)

// no Idempotency-Key: a flow belongs to the browser that began it
export const authorizeConnectionRoute = defineRoute(
  {
    operationId: 'authorizeConnection',
    method: 'post',
    path: '/ui/api/connections/{id}/oauth/start',
    tags: ['connections'],
    verb: authorizeConnection,
    summary: 'Begin an authorisation (OAuth 2)',
    description:
      'For a connection with `auth: oauth2`. Open `authorization_url` in the browser that has got the cookie of this answer: a person consents at the provider, which leads back to `GET /oauth/callback` within ten minutes. Authorisation code with PKCE (S256). What was authorised before stays until then. Takes an owner or admin of all workspaces; it is recorded.',
    request: { params: z.object({ id: ConnectionId }), body: optionalJson(OauthStart) },
    responses: { 200: ok(OauthStarted, 'Where to consent; with a cookie that binds it to this browser') },
    problems: ['conflict', 'not_configured'],
    max_body_bytes: MAX_CONNECTION_BYTES,
  },
  async (c) => {
    const ctx = { ...c.get('ctx'), ...c.get('deps').authoring }
    const { environment, confirm } = c.req.valid('json') ?? {}
    const started = await authorizeConnection(ctx, { id: c.req.valid('param').id, environment, confirm })
    keepBrowser(c, started)
    const { authorization_url, expires_at, code } = started
    return c.json({ authorization_url, expires_at, ...(code !== undefined && { code }) }, 200)
  },
)

export const completeAuthorizationRoute = defineRoute(
  {
    operationId: 'completeAuthorization',
    method: 'get',
    path: '/oauth/callback',
    tags: ['connections'],
    access: 'callback',
    auth: 'public',
    scope: 'account',
    summary: 'End an authorisation: the provider leads the browser here',
    description:
      'Good once, in the browser that began it: its `state` and the cookie are the proof. Stores the tokens sealed, and says what to do next, as a page or as JSON. Nothing of the request is shown.',
    request: {
      query: z.object({
        state: z.string().max(200).optional().meta({ description: 'Of the flow' }),
        code: z.string().max(8_192).optional().meta({ description: 'Of the provider' }),
        iss: z.string().max(2_000).optional().meta({ description: 'The provider (RFC 9207)' }),
        confirm: z
          .string()
          .max(100)
          .optional()
          .meta({ description: 'The code that `svc connections authorize` shows' }),
        error: z.string().max(1_000).optional().meta({ description: 'Why there is no code' }),
      }),
    },
    responses: {
      200: {
        ...ok(OauthCompleted, 'It is authorised'),
        content: { 'application/json': { schema: OauthCompleted }, ...HTML_PAGE },
      },
      400: {
        ...ok(TokenRefusal, '`access_denied` or `invalid_request`'),
        content: { 'application/json': { schema: TokenRefusal }, ...HTML_PAGE },
      },
      503: {
        ...ok(TokenRefusal, '`temporarily_unavailable`'),
        content: { 'application/json': { schema: TokenRefusal }, ...HTML_PAGE },
      },
    },
    refusal: refuseCallback,
  },
  async (c) => {
    const ctx = { ...c.get('ctx'), ...c.get('deps').authoring }
    const { searchParams } = new URL(c.req.url)
    // it is ours, and none of the provider
    searchParams.delete('confirm')
    const { state = '', confirm: code } = c.req.valid('query')
    const search = `?${searchParams}`
    return showAuthorization(
      c,
      await completeAuthorization(ctx, { search, state, code, browserOf: (flow) => browserOf(c, flow) }),
    )
  },
)
