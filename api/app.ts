import { OpenAPIHono } from '@hono/zod-openapi'
import { DomainError } from '#core/errors.ts'
import type { ApiContext, ApiEnv } from './context.ts'
import type { Route } from './define-route.ts'
import type { ApiDeps } from './deps.ts'
import type { McpTool } from './mcp/mcp-tool.ts'
import { toolsOf } from './mcp/tools.ts'
import { mustBeCanonical, withoutSlash } from './middleware/canonical-path.ts'
import { envelope } from './middleware/envelope.ts'
import { mustBeAtHome } from './middleware/own-name.ts'
import { isModelPath, modelErrorResponse } from './model-error.ts'
import { describeApi } from './openapi.ts'
import { problemResponse } from './problem.ts'
import { refusedRequest } from './refused-request.ts'
import { routes } from './registry.ts'
import { toDomainError } from './to-domain-error.ts'
import { addressOf } from './workspace-address.ts'

export type Api = OpenAPIHono<ApiEnv>

/** The whole HTTP surface over its dependencies. Nothing is opened here. */
export function createApp(deps: ApiDeps): Api {
  const app: Api = new OpenAPIHono<ApiEnv>({ getPath: (request) => addressOf(pathOf(request.url)).path })
  let document: object | undefined
  const describe = () => {
    document ??= describeApi(app, deps.version)
    return document
  }
  const served = routes.filter((route) => route.offered(deps))
  let offered: ReadonlyMap<string, McpTool> | undefined
  const tools = () => {
    offered ??= toolsOf(served, describe())
    return offered
  }
  const verbs = { ...deps.services, ...deps.reads }
  app.use((c, next) => {
    c.set('deps', deps)
    c.set('verbs', verbs)
    c.set('document', describe)
    c.set('tools', tools)
    c.set('ask', async (request, only) => app.request(request, undefined, { only }))
    c.set('full_path', pathOf(c.req.url))
    return envelope(c, next)
  })
  app.use(async (c, next) => {
    const page = withoutSlash(c)
    if (page === undefined) mustBeCanonical(c)
    mustBeAtHome(c)
    return page === undefined ? await next() : c.redirect(page, 308)
  })
  for (const route of served) route.mount(app)
  app.notFound((c) => answerProblem(c, unrouted(c, served)))
  app.onError(async (thrown, c) => {
    const error = toDomainError(thrown)
    const refused = refusedRequest(c, error)
    if (refused !== undefined) await deps.refusals.record(refused)
    return answerProblem(c, error)
  })
  return app
}

/** The path of an absolute address, as the URL standard has already tidied it up. */
function pathOf(url: string): string {
  const from = url.indexOf('/', url.indexOf('://') + 3)
  const end = url.slice(from).search(/[?#]/)
  return from === -1 ? '/' : end === -1 ? url.slice(from) : url.slice(from, from + end)
}

function answerProblem(c: ApiContext, error: DomainError): Response {
  if (error.code === 'internal') {
    c.get('deps').log.error(
      { request_id: c.get('request_id'), err: error.cause ?? error },
      'request failed unexpectedly',
    )
  }
  // the answer hides what broke inside
  if ((error.code === 'dependency_unavailable' || error.code === 'rate_limited') && error.cause !== undefined)
    c.get('deps').log.warn({ request_id: c.get('request_id'), err: error.cause }, error.message)
  const own = c.get('route')?.refusal?.(error, c)
  if (own !== undefined) return own
  const at = { instance: c.get('full_path'), request_id: c.get('request_id') }
  return isModelPath(c.req.path) ? modelErrorResponse(error, at) : problemResponse(error, at)
}

/** A path that other methods answer is 405; anything else is not there. */
function unrouted(c: ApiContext, served: readonly Route[]): DomainError {
  const allow = served
    .filter((route) => patternOf(route.path).test(c.req.path))
    .map((route) => route.method.toUpperCase())
  if (allow.length === 0) return new DomainError('not_found', 'no such route')
  const methods = [...new Set(allow.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])))]
  return new DomainError('method_not_allowed', `${c.req.method} is not offered here.`, { allow: methods })
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replace(/[.]/g, '\\.').replace(/\{\w+\}/g, '[^/]+')}$`)
}
