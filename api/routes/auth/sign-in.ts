import { z } from '@hono/zod-openapi'
import { DomainError, type ErrorCode } from '#core/errors.ts'
import { issueToken } from '#services/auth/issue-token.ts'
import { logOut } from '#services/auth/sessions.ts'
import type { RefusalAnswer } from '../../context.ts'
import { defineRoute, form, ok } from '../../define-route.ts'
import { clientIp } from '../../request-origin.ts'

/** The password grant (RFC 6749 section 4.3.2). `client_secret` is accepted and ignored. */
const TokenRequest = z
  .object({
    grant_type: z.string().max(100).optional().meta({ description: '`password`, or absent', example: 'password' }),
    username: z.string().min(1).max(254).meta({ description: 'The mail address', example: 'ada@example.test' }),
    password: z.string().min(1).max(200),
    scope: z.string().max(2_000).optional().meta({ description: 'Names with spaces between; all when absent' }),
    client_id: z.string().max(200).optional().meta({
      description:
        'The client that asks. Decisions made with the token are on record as `svc-cli`: cli, `svc-console`: console',
    }),
    client_secret: z.string().max(200).optional(),
  })
  .meta({ id: 'TokenRequest', description: 'Credentials of a user' })

const TokenAnswer = z
  .object({
    access_token: z.string(),
    token_type: z.literal('bearer'),
    expires_in: z.int().meta({ description: 'Seconds' }),
    scope: z.string(),
  })
  .meta({ id: 'TokenAnswer', description: 'A bearer token' })

export const TokenRefusal = z
  .object({ error: z.string().meta({ example: 'invalid_grant' }), error_description: z.string() })
  .meta({ id: 'TokenRefusal', description: 'Why there is no token (RFC 6749 section 5.2)' })

const AuthStatus = z
  .object({
    enabled: z.boolean(),
    scheme: z.enum(['bearer']).nullable(),
    authenticated: z.boolean().meta({ description: 'Whether this request came with a good token' }),
  })
  .meta({ id: 'AuthStatus', description: 'Whether one has to sign in, and whether one has' })

export const getAuthStatusRoute = defineRoute(
  {
    operationId: 'getAuthStatus',
    method: 'get',
    path: '/auth/status',
    tags: ['auth'],
    access: 'read',
    auth: 'public',
    summary: 'Say whether authentication is on',
    responses: { 200: ok(AuthStatus, 'The state of authentication, and of the caller') },
  },
  async (c) => {
    const { enabled } = c.get('deps').auth
    c.header('Cache-Control', 'no-store')
    return c.json(
      { enabled, scheme: enabled ? ('bearer' as const) : null, authenticated: c.get('actor').auth !== 'none' },
      200,
    )
  },
)

export const logOutRoute = defineRoute(
  {
    operationId: 'logOut',
    method: 'post',
    path: '/auth/logout',
    tags: ['auth'],
    verb: logOut,
    summary: 'Sign out everywhere',
    description: 'Tokens are not kept, so they end together: every session of the caller, within five seconds.',
    responses: { 204: { description: 'Every token of the caller has ended' } },
  },
  async (c) => {
    await logOut({ ...c.get('ctx'), ...c.get('deps').identity })
    return c.body(null, 204)
  },
)

/** Status and error of RFC 6749 section 5.2; `slow_down` is from RFC 8628, the last two from section 4.1.2.1. */
const REFUSALS: Partial<Record<ErrorCode, { status: number; error: string }>> = {
  unauthenticated: { status: 400, error: 'invalid_grant' },
  validation_failed: { status: 400, error: 'invalid_request' },
  malformed_body: { status: 400, error: 'invalid_request' },
  unsupported_media_type: { status: 400, error: 'invalid_request' },
  payload_too_large: { status: 413, error: 'invalid_request' },
  rate_limited: { status: 429, error: 'slow_down' },
  internal: { status: 500, error: 'server_error' },
  dependency_unavailable: { status: 503, error: 'temporarily_unavailable' },
}

const DESCRIPTIONS: Partial<Record<ErrorCode, string>> = {
  internal: 'Something went wrong on our side.',
  unsupported_media_type: 'This takes a form: set the content type to application/x-www-form-urlencoded.',
}

const asOauth: RefusalAnswer = (error) => {
  const known = REFUSALS[error.code]
  if (known === undefined) return undefined
  const named = error.details['oauth_error']
  const body = {
    error: typeof named === 'string' ? named : known.error,
    error_description: DESCRIPTIONS[error.code] ?? error.message,
  }
  const headers = new Headers({ 'content-type': 'application/json', 'cache-control': 'no-store', pragma: 'no-cache' })
  const { retry_after_s } = error.details
  if (retry_after_s !== undefined) headers.set('retry-after', String(retry_after_s))
  return new Response(JSON.stringify(body), { status: known.status, headers })
}

export const issueTokenRoute = defineRoute(
  {
    operationId: 'issueToken',
    method: 'post',
    path: '/token',
    tags: ['auth'],
    verb: issueToken,
    summary: 'Sign in: trade a password for a bearer token',
    request: { body: form(TokenRequest) },
    responses: {
      200: ok(TokenAnswer, 'The token; `Cache-Control: no-store`'),
      400: ok(TokenRefusal, '`invalid_grant`, `invalid_request` or `unsupported_grant_type`'),
      413: ok(TokenRefusal, '`invalid_request`'),
      429: ok(TokenRefusal, '`slow_down`: too many attempts, with `Retry-After`'),
      500: ok(TokenRefusal, '`server_error`'),
      503: ok(TokenRefusal, '`temporarily_unavailable`'),
    },
    problems: ['not_configured'],
    max_body_bytes: 8_192,
    refusal: asOauth,
  },
  async (c) => {
    const { auth, identity, logins, refusals } = c.get('deps')
    if (!auth.enabled) throw new DomainError('not_configured', 'Authentication is off: no token is needed.')
    const { grant_type = 'password', username, password, scope, client_id } = c.req.valid('form')
    if (grant_type !== 'password') {
      const oauth_error = 'unsupported_grant_type'
      throw new DomainError('validation_failed', 'Only the grant `password` is offered.', { oauth_error })
    }
    const grant = await issueToken(
      { ...c.get('ctx'), ...identity, logins, refusals },
      { username, password, scope, client_id, ip: clientIp(c) },
    )
    c.header('Cache-Control', 'no-store')
    c.header('Pragma', 'no-cache')
    return c.json(grant, 200)
  },
)
