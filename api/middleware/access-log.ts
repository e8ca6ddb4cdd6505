import type { MiddlewareHandler } from 'hono'
import type { ApiEnv } from '../context.ts'

/** One line per request. It names the route's pattern, never its query or body. */
export const accessLog: MiddlewareHandler<ApiEnv> = async (c, next) => {
  const started = performance.now()
  await next()
  const level = c.res.status >= 500 ? 'error' : 'info'
  c.var.deps.log[level](
    {
      request_id: c.var.request_id,
      method: c.req.method,
      route: c.var.route?.path ?? 'none',
      operation: c.var.route?.operationId ?? null,
      status: c.res.status,
      duration_ms: Math.round((performance.now() - started) * 10) / 10,
      actor: c.var.actor?.id ?? null,
      workspace_id: c.var.ctx?.workspace_id ?? null,
    },
    'request',
  )
}
