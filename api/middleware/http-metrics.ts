import type { MiddlewareHandler } from 'hono'
import type { ApiEnv } from '../context.ts'

/** Counts and times every request under the name of its operation, so that no path and no id becomes a label. */
export const httpMetrics: MiddlewareHandler<ApiEnv> = async (c, next) => {
  const started = performance.now()
  await next()
  c.get('deps').metrics.http({
    operation: c.get('route')?.operationId ?? 'none',
    method: METHODS.has(c.req.method) ? c.req.method : 'other',
    status: c.res.status,
    duration_s: (performance.now() - started) / 1_000,
  })
}

/** Anybody may make up a method, and each would be a series of its own. */
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
