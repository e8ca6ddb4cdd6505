import { z } from '@hono/zod-openapi'
import type { AuditActor } from '#core/audit/types.ts'
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
import { DomainError } from '#core/errors.ts'
import { ANONYMOUS } from '#services/auth/authenticator.ts'
import {
  authorizeConnection,
  completeAuthorization,
  confirmAuthorization,
} from '#services/connections/authorize-connection.ts'
import { connections, listConnectionKinds } from '#services/connections/connections.ts'
import { testConnection } from '#services/connections/test-connection.ts'
import { authoredRoutes, jsonDraft } from '../../authored-routes.ts'
import type { ApiContext } from '../../context.ts'
import { defineRoute, form, HTML_PAGE, json, ok, optionalJson } from '../../define-route.ts'
import { browserOf, keepBrowser, OauthCompleted, refuseCallback, showAuthorization } from '../../pages/oauth-page.ts'
import { clientIp, isForeign } from '../../request-origin.ts'
import { personOf, sessionOf } from '../../session-cookie.ts'
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

const Callback = z.object({
  state: z.string().max(200).optional().meta({ description: 'Of the flow' }),
  code: z.string().max(8_192).optional().meta({ description: 'Of the provider' }),
  iss: z.string().max(2_000).optional().meta({ description: 'The provider (RFC 9207)' }),
  error: z.string().max(1_000).optional().meta({ description: 'Why there is no code' }),
})

const refusedAs = (description: string) => ({
  ...ok(TokenRefusal, description),
  content: { 'application/json': { schema: TokenRefusal }, ...HTML_PAGE },
})
const CALLBACK_ANSWERS = {
  200: {
    ...ok(OauthCompleted, 'It is authorised'),
    content: { 'application/json': { schema: OauthCompleted }, ...HTML_PAGE },
  },
  400: refusedAs('`access_denied` or `invalid_request`'),
  503: refusedAs('`temporarily_unavailable`'),
}

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
      'Good once, in the browser that began it: its `state` and the cookie are the proof. Stores the tokens sealed, and says what to do next, as a page or as JSON. Asks for the code of `svc connections authorize` where that began it. Nothing of the request is shown.',
    request: { query: Callback },
    responses: CALLBACK_ANSWERS,
    refusal: refuseCallback,
  },
  async (c) => {
    const ctx = { ...c.get('ctx'), ...c.get('deps').authoring }
    const { state = '' } = c.req.valid('query')
    const callback = { search: new URL(c.req.url).search, state }
    return showAuthorization(
      c,
      await completeAuthorization(ctx, { ...callback, browserOf: (flow) => browserOf(c, flow) }),
    )
  },
)

export const confirmAuthorizationRoute = defineRoute(
  {
    operationId: 'confirmAuthorization',
    method: 'post',
    path: '/oauth/callback',
    tags: ['connections'],
    access: 'callback',
    auth: 'public',
    scope: 'account',
    summary: 'End an authorisation of the command line by the code of its terminal',
    description:
      'The form of the page to which the provider has led the browser, at the same address. A page of another site is refused. The code is good once and tried five times; each wrong one is recorded.',
    request: {
      query: Callback,
      body: form(
        z.object({
          confirm: z
            .string()
            .max(100)
            .meta({ description: 'The code that `svc connections authorize` shows', example: 'K7QX-3MNP' }),
        }),
      ),
    },
    responses: CALLBACK_ANSWERS,
    refusal: refuseCallback,
    max_body_bytes: 8_192,
  },
  async (c) => {
    if (isForeign(c)) throw new DomainError('forbidden', 'Pages of other sites are refused here.')
    const ctx = { ...c.get('ctx'), ...c.get('deps').authoring }
    const { state = '' } = c.req.valid('query')
    const typed = { code: c.req.valid('form').confirm, by: await callerOrSession(c) }
    return showAuthorization(c, await confirmAuthorization(ctx, { search: new URL(c.req.url).search, state, ...typed }))
  },
)

/** The caller, or else the person who has signed in to the console in this browser; of anybody else only the address is known. */
async function callerOrSession(c: ApiContext): Promise<AuditActor> {
  const caller = c.get('actor')
  const person = caller === ANONYMOUS ? await personOf(c, await sessionOf(c)) : caller
  const { type, id, auth } = person ?? ANONYMOUS
  const ip = clientIp(c)
  return { type, id, auth, ...(ip !== undefined && { ip }) }
}
