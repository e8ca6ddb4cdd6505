import type { MiddlewareHandler } from 'hono'
import type { ApiEnv } from '../context.ts'

/** Answers are data: nothing in them may run, be framed or be guessed at. */
const HEADERS: Record<string, string> = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}

/** Sets what a route has not set for itself; the docs page has its own content policy. */
export const secureHeaders: MiddlewareHandler<ApiEnv> = async (c, next) => {
  await next()
  for (const [name, value] of Object.entries(HEADERS)) if (!c.res.headers.has(name)) c.res.headers.set(name, value)
}
