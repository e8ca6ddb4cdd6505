import type { MiddlewareHandler } from 'hono'
import type { ApiEnv } from '../context.ts'

/** One line per request. It names the route's pattern, never its query or body. */
export const accessLog: MiddlewareHandler<ApiEnv> = async (c, next) => {
  const started = performance.now()
  await next()
  const level = c.res.status >= 500 ? 'error' : 'info'
  c.get('deps').log[level](
    {
      request_id: c.get('request_id'),
      method: c.req.method,
      route: c.get('route')?.path ?? 'none',
      operation: c.get('route')?.operationId ?? null,
      status: c.res.status,
      duration_ms: Math.round((performance.now() - started) * 10) / 10,
      actor: c.get('actor')?.id ?? null,
      workspace_id: c.get('ctx')?.workspace_id ?? null,
    },
    'request',
  )
}
