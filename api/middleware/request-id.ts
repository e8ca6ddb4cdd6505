import type { MiddlewareHandler } from 'hono'
import type { ApiEnv } from '../context.ts'

const SANE = /^[A-Za-z0-9][A-Za-z0-9._:-]{7,127}$/

/** Gives every request an id: the caller's own `X-Request-Id` when it is sane, else a fresh one. Echoed in the answer. */
export const requestId: MiddlewareHandler<ApiEnv> = async (c, next) => {
  const given = c.req.header('x-request-id')
  const id = given !== undefined && SANE.test(given) ? given : c.get('deps').services.ids.next('request')
  c.set('request_id', id)
  await next()
  c.header('x-request-id', id)
}
