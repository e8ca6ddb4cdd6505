import { createRoute, type OpenAPIHono, type RouteConfig, type RouteHandler, z } from '@hono/zod-openapi'
import type { MiddlewareHandler } from 'hono'
import { keyNeedOf } from '#core/api-key/scopes.ts'
import { DomainError, type ErrorCode } from '#core/errors.ts'
import { jsonPointer } from '#core/json/json.ts'
import type { Verb } from '#services/define-verb.ts'
import type { Access, ApiContext, ApiEnv, Auth, RefusalAnswer } from './context.ts'
import type { ApiDeps } from './deps.ts'
import { readBody } from './middleware/body.ts'
import { guardRoute, type VerifySignature } from './middleware/guard-route.ts'
import { type ErasedHandler, IDEMPOTENCY_KEY, withIdempotency } from './middleware/idempotency.ts'
import { isModelPath } from './model-error.ts'
import { PROBLEMS } from './problem.ts'
import { ModelError } from './schemas/chat-answer.ts'
import { ProblemDocument } from './schemas/problem.ts'
import { validationError } from './to-domain-error.ts'

const MAX_BODY_BYTES = 1024 * 1024
export const MAX_INPUTS_BYTES = 5 * 1024 * 1024

interface RouteNeeds {
  access: Access
  auth: Auth
  scope: 'workspace' | 'account'
}

/** A write names its verb, which has the requirement. Other operations declare it, with the scope of a workspace by default. */
type DeclaredNeeds =
  | { verb: Verb; access?: never; auth?: never; scope?: never }
  | { verb?: never; access: Exclude<Access, 'write'>; auth: Auth; scope?: RouteNeeds['scope'] }

type RouteSpec = RouteConfig & OwnSpec & DeclaredNeeds
type Described = RouteConfig & OwnSpec & RouteNeeds

interface OwnSpec {
  operationId: string
  method: 'get' | 'post' | 'put' | 'patch' | 'delete'
  path: `/${string}`
  tags: string[]
  summary: string
  /** proves who sent the request; without such a proof the bearer rule holds (for `signature`: operators) */
  verify?: VerifySignature
  /** errors in a wire format of their own; undefined means a problem document */
  refusal?: RefusalAnswer
  /** refusals that a browser gets as a page (`refusal`), and a program as a problem document */
  refusal_pages?: readonly ErrorCode[]
  /** true for a route that only ends work, so that it is allowed in an archived workspace */
  only_ends?: true
  /** true for a delivery to a trigger: as storms of them are usual, they have a rate of their own */
  delivers?: true
  /** refusals of this route's own; those that every route shares are added */
  problems?: readonly ErrorCode[]
  /** body fields whose absence has a code of its own */
  required?: Readonly<Record<string, ErrorCode>>
  max_body_bytes?: number
  /** query parameters that may be given several times: any of the values */
  repeatable?: readonly string[]
  /** query parameters that make a download of the answer, which is not for agents */
  downloads_by?: readonly string[]
  /** refuses by headers, before the caller is authenticated */
  admits?: (c: ApiContext) => void
  /** tells whether the deployment has the route; without it the route does not exist */
  offered?: (deps: ApiDeps) => boolean
  /** true for a body of another system, which cannot be asked to change it: kept as it is, listed when it is refused */
  foreign?: true
  /** honours `Idempotency-Key`: for every route that creates or decides */
  idempotent?: boolean
}

/** A declared route: nothing is reachable without an access class and a rule of who may call it. */
export interface Route extends RouteNeeds {
  operationId: string
  method: string
  path: string
  /** the verb of a write */
  verb: Verb | undefined
  /** its own error codes, besides the common ones */
  problems: readonly ErrorCode[]
  downloads_by: readonly string[]
  offered(deps: ApiDeps): boolean
  mount(app: OpenAPIHono<ApiEnv>): void
}

/** Declares a route with its shape, its access and its refusals; the handler only adapts one service verb. */
export function defineRoute<Spec extends RouteSpec>(declared: Spec, handler: RouteHandler<Spec, ApiEnv>): Route {
  const needs = needsOf(declared)
  const spec: Described = { ...declared, ...needs }
  const route = { operationId: spec.operationId, path: spec.path, ...needs }
  const { refusal, only_ends = false, delivers = false } = spec
  const body = spec.request?.body
  const guard = guardRoute({ ...route, only_ends, delivers, ...(refusal !== undefined && { refusal }) }, spec.verify)
  const known = knownQuery(spec)
  const max_bytes = spec.max_body_bytes ?? MAX_BODY_BYTES
  const limits = { max_bytes, expects: body !== undefined, foreign: spec.foreign === true }
  // a signature covers the body, so that it is read first, as far as its limit
  const readFirst = spec.auth === 'signature' || spec.verify !== undefined
  const enter: MiddlewareHandler<ApiEnv> = async (c, next) => {
    spec.admits?.(c)
    if (spec.method !== 'get' && readFirst) await readBody(c, limits)
    await guard(c)
    if (known !== undefined) mustKnowQuery(c, known, spec.repeatable)
    if (spec.method !== 'get' && !readFirst) await readBody(c, limits)
    await next()
  }
  const config = createRoute({
    operationId: spec.operationId,
    method: spec.method,
    path: spec.path,
    tags: spec.tags,
    summary: spec.summary,
    ...(spec.description !== undefined && { description: spec.description }),
    ...(spec.request !== undefined && { request: spec.request }),
    ...(spec.idempotent ? { parameters: [IDEMPOTENCY_KEY] } : {}),
    responses: describedResponses(spec),
    security: spec.auth === 'public' || spec.auth === 'signature' ? [] : [{ bearer: [] }, { password: [] }],
    'x-svc-access': spec.access,
    'x-svc-auth': spec.auth,
    ...(spec.auth === 'public' ? {} : { 'x-svc-key-scope': keyNeedOf(spec) }),
    middleware: [enter],
  })
  const erased = eraseHandler(handler)
  const act = spec.idempotent ? withIdempotency(spec.operationId, erased) : erased
  return {
    ...route,
    method: spec.method,
    verb: declared.verb,
    problems: spec.problems ?? [],
    downloads_by: spec.downloads_by ?? [],
    offered: spec.offered ?? (() => true),
    mount(app) {
      app.openapi(config, act, (result, c) => {
        if (!result.success) {
          const missing = absentField(c.get('body_json'), spec.required)
          throw validationError(result.target, result.error.issues, { missing, schema: bodySchema(spec) })
        }
      })
    },
  }
}

function needsOf({ verb, access, auth, scope = 'workspace' }: DeclaredNeeds): RouteNeeds {
  return verb === undefined
    ? { access, auth, scope }
    : { access: verb.needs.access, auth: verb.needs.role, scope: verb.needs.scope }
}

function bodySchema({ request }: Described): unknown {
  const content = request?.body?.content['application/json']
  return content !== undefined && 'schema' in content ? content.schema : undefined
}

function absentField(body: unknown, required: Readonly<Record<string, ErrorCode>> = {}): ErrorCode | undefined {
  const given = typeof body === 'object' && body !== null ? body : {}
  return Object.entries(required).find(([field]) => !Array.isArray(given) && !Object.hasOwn(given, field))?.[1]
}

/** Returns the query parameters of a route; undefined where senders and probes may add others. */
function knownQuery({ auth, access, request }: Described): string[] | undefined {
  if (auth === 'public' || access === 'callback') return undefined
  return request?.query instanceof z.ZodObject ? Object.keys(request.query.shape) : []
}

/** A JSON body that must be there: an absent body is a violation, never a default. */
export function json<Schema extends z.ZodType>(schema: Schema) {
  return { required: true, content: { 'application/json': { schema } } } as const
}

/** An optional JSON body, where an empty request means defaults. */
export function optionalJson<Schema extends z.ZodType>(schema: Schema) {
  return { content: { 'application/json': { schema } } } as const
}

/** A form body that must be there (`application/x-www-form-urlencoded`). */
export function form<Schema extends z.ZodType>(schema: Schema) {
  return { required: true, content: { 'application/x-www-form-urlencoded': { schema } } } as const
}

/** An answer that is a page for people. */
export const HTML_PAGE = { 'text/html': { schema: z.string() } } as const

/** A JSON answer. */
export function ok<Schema extends z.ZodType>(schema: Schema, description: string) {
  return { description, content: { 'application/json': { schema } } } as const
}

interface DescribedRefusal {
  description: string
  content: Record<string, { schema: z.ZodType }>
}

/** The one cast of the route layer: a handler is checked against its own route where it is defined and forgotten here. */
function eraseHandler<Spec extends RouteConfig>(handler: RouteHandler<Spec, ApiEnv>): ErasedHandler {
  return handler as ErasedHandler
}

/** Returns the responses of a route. A status that is also an error has both forms, unless the route describes all errors itself. */
function describedResponses(spec: Described): RouteConfig['responses'] {
  const problems = problemResponses(spec)
  const own = Object.entries(spec.responses).map(([status, response]) => {
    const problem = problems[status]
    if (problem === undefined || spec.refusal !== undefined || '$ref' in response) return [status, response]
    const description = `${response.description}; or ${problem.description}`
    return [status, { ...response, description, content: { ...response.content, ...problem.content } }]
  })
  return { ...problems, ...Object.fromEntries(own) }
}

/** Every refusal that the route can answer with, by status. */
function problemResponses(spec: Described): Record<string, DescribedRefusal> {
  const shared = ['invalid_path', 'internal', 'dependency_unavailable', 'workspace_conflict', 'not_found'] as const
  const codes = new Set<ErrorCode>([...shared, ...(spec.problems ?? [])])
  if (spec.auth !== 'public')
    for (const code of ['unauthenticated', 'forbidden', 'rate_limited'] as const) codes.add(code)
  if (spec.access === 'write' && spec.scope !== 'account' && !spec.only_ends) codes.add('workspace_archived')
  if (spec.request?.params ?? spec.request?.query ?? knownQuery(spec)) codes.add('validation_failed')
  if (spec.method !== 'get')
    for (const code of ['malformed_body', 'payload_too_large', 'unsupported_media_type'] as const) codes.add(code)
  if (spec.request?.body) codes.add('validation_failed')
  if (spec.idempotent)
    for (const code of ['idempotency_mismatch', 'conflict', 'validation_failed'] as const) codes.add(code)
  for (const code of Object.values(spec.required ?? {})) codes.add(code)
  const content = isModelPath(spec.path)
    ? { 'application/json': { schema: ModelError } }
    : { 'application/problem+json': { schema: ProblemDocument } }
  const byStatus = new Map<number, ErrorCode[]>()
  for (const code of codes) byStatus.set(PROBLEMS[code].status, [...(byStatus.get(PROBLEMS[code].status) ?? []), code])
  return Object.fromEntries(
    [...byStatus].map(([status, members]) => [
      status,
      {
        description: members.map((code) => `\`${code}\``).join(', '),
        content: members.some((code) => spec.refusal_pages?.includes(code)) ? { ...content, ...HTML_PAGE } : content,
      },
    ]),
  )
}

/** Refuses an unknown query parameter, or a repeated one that the route takes once: a misspelt filter must not be ignored. */
function mustKnowQuery(c: ApiContext, known: readonly string[], repeatable: readonly string[] = []): void {
  const given = c.req.queries()
  const takes = known.length === 0 ? 'it takes none' : `it takes ${known.join(', ')}`
  refuse(
    Object.keys(given).filter((name) => !known.includes(name)),
    { msg: `is no query parameter of this operation; ${takes}`, type: 'unrecognized_keys' },
  )
  refuse(
    Object.entries(given).flatMap(([name, values]) => (values.length > 1 && !repeatable.includes(name) ? [name] : [])),
    { msg: 'is given more than once, and takes one value', type: 'repeated' },
  )
}

function refuse(names: string[], why: { msg: string; type: string }): void {
  if (names.length === 0) return
  const errors = names.map((name) => ({
    pointer: jsonPointer([name]),
    loc: [name],
    in: 'query',
    ...why,
  }))
  throw new DomainError('validation_failed', `query ${errors[0]?.pointer ?? ''}: ${why.msg}`, { errors })
}
