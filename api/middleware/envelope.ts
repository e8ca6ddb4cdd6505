import type { ServerResponse } from 'node:http'
import type { MiddlewareHandler } from 'hono'
import type { ApiContext, ApiEnv } from '../context.ts'

/**
 * Answers are data: nothing in them may run, be framed, be guessed at, or stay in a browser after its reader has left. A route that
 * serves a page or a file of the build sets its own.
 */
const SECURE: readonly (readonly [name: string, value: string])[] = [
  ['cache-control', 'no-store'],
  ['content-security-policy', "default-src 'none'; frame-ancestors 'none'"],
  ['cross-origin-opener-policy', 'same-origin'],
  ['cross-origin-resource-policy', 'same-origin'],
  ['referrer-policy', 'no-referrer'],
  ['x-content-type-options', 'nosniff'],
  ['x-frame-options', 'DENY'],
]
const SANE_ID = /^[A-Za-z0-9][A-Za-z0-9._:-]{7,127}$/
/** Anybody may make up a method, and each would be a series of its own. */
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/**
 * Handles every request: an id (the caller's own `X-Request-Id` when it is valid, else a fresh one, echoed in the answer), security
 * headers, one line in the log, one count. The log has the route's pattern, never a query or a body; counts are by operation, so that no
 * path and no id becomes a label.
 */
export const envelope: MiddlewareHandler<ApiEnv> = async (c, next) => {
  const started = performance.now()
  const given = c.req.header('x-request-id')
  const id = given !== undefined && SANE_ID.test(given) ? given : c.get('deps').services.ids.next('request')
  c.set('request_id', id)
  const outgoing = c.env?.outgoing
  const http1 = outgoing !== undefined && !('stream' in outgoing) ? outgoing : undefined
  if (http1 !== undefined) putOnConnection(http1, id)
  await next()
  if (http1 === undefined) putOnResponse(c, id)
  record(c, performance.now() - started)
}

/** Headers of the route come later and win; a web `Headers` would cost more than the rest of this middleware. */
function putOnConnection(outgoing: ServerResponse, id: string): void {
  for (const [name, value] of SECURE) outgoing.setHeader(name, value)
  outgoing.setHeader('x-request-id', id)
}

function putOnResponse(c: ApiContext, id: string): void {
  const { headers } = c.res
  for (const [name, value] of SECURE) if (!headers.has(name)) headers.set(name, value)
  headers.set('x-request-id', id)
}

function record(c: ApiContext, duration_ms: number): void {
  const { status } = c.res
  const { method } = c.req
  const route = c.get('route')
  const { log, metrics } = c.get('deps')
  log[status >= 500 ? 'error' : 'info'](
    {
      request_id: c.get('request_id'),
      method,
      route: route?.path ?? 'none',
      operation: route?.operationId ?? null,
      status,
      duration_ms: Math.round(duration_ms * 10) / 10,
      actor: c.get('actor')?.id ?? null,
      workspace_id: c.get('ctx')?.workspace_id ?? null,
    },
    'request',
  )
  metrics.http({
    operation: route?.operationId ?? 'none',
    method: METHODS.has(method) ? method : 'other',
    status,
    duration_s: duration_ms / 1_000,
  })
}
