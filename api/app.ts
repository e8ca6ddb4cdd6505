import { OpenAPIHono } from '@hono/zod-openapi'
import { DomainError } from '#core/errors.ts'
import type { ApiContext, ApiEnv } from './context.ts'
import type { ApiDeps } from './deps.ts'
import { accessLog } from './middleware/access-log.ts'
import { canonicalPath } from './middleware/canonical-path.ts'
import { httpMetrics } from './middleware/http-metrics.ts'
import { requestId } from './middleware/request-id.ts'
import { secureHeaders } from './middleware/secure-headers.ts'
import { trustedHost } from './middleware/trusted-host.ts'
import { describeApi } from './openapi.ts'
import { problemResponse } from './problem.ts'
import { routes } from './registry.ts'
import { toDomainError } from './to-domain-error.ts'
import { addressOf } from './workspace-address.ts'

export type Api = OpenAPIHono<ApiEnv>

/** The whole HTTP surface over its dependencies. Nothing is opened here. */
export function createApp(deps: ApiDeps): Api {
  const app: Api = new OpenAPIHono<ApiEnv>({ getPath: (request) => addressOf(new URL(request.url).pathname).path })
  let document: object | undefined
  const describe = () => {
    document ??= describeApi(app, deps.version)
    return document
  }
  app.use(async (c, next) => {
    c.set('deps', deps)
    c.set('document', describe)
    c.set('full_path', new URL(c.req.url).pathname)
    await next()
  })
  app.use(requestId, accessLog, httpMetrics, secureHeaders, canonicalPath, trustedHost)
  for (const route of routes) route.mount(app)
  app.notFound((c) => answerProblem(c, unrouted(c)))
  app.onError((error, c) => answerProblem(c, toDomainError(error)))
  return app
}

function answerProblem(c: ApiContext, error: DomainError): Response {
  if (error.code === 'internal') {
    c.get('deps').log.error(
      { request_id: c.get('request_id'), err: error.cause ?? error },
      'request failed unexpectedly',
    )
  }
  const own = c.get('route')?.refusal?.(error, c)
  if (own !== undefined) return own
  return problemResponse(error, { instance: c.get('full_path'), request_id: c.get('request_id') })
}

/** A path that other methods answer is 405; anything else is not there. */
function unrouted(c: ApiContext): DomainError {
  const allow = routes
    .filter((route) => patternOf(route.path).test(c.req.path))
    .map((route) => route.method.toUpperCase())
  if (allow.length === 0) return new DomainError('not_found', 'no such route')
  const methods = [...new Set(allow.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])))]
  return new DomainError('method_not_allowed', `${c.req.method} is not offered here.`, { allow: methods })
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replace(/[.]/g, '\\.').replace(/\{\w+\}/g, '[^/]+')}$`)
}
