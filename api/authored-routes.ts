import { type RouteConfig, z } from '@hono/zod-openapi'
import type { ErrorCode } from '#core/errors.ts'
import type { ServiceContext } from '#services/context.ts'
import type { Verb } from '#services/define-verb.ts'
import type { ListPage } from '#services/list-page.ts'
import { documentAnswer, documentBody, documentText, MAX_DOCUMENT_BYTES, wantsYaml } from './authored-body.ts'
import type { ApiContext } from './context.ts'
import type { Authoring } from './create-authoring.ts'
import { defineRoute, json, ok, type Route } from './define-route.ts'
import { pageHeaders } from './list-response.ts'
import { ETAG, IfMatch, LOCATION, TOTAL } from './schemas/params.ts'

type Context = ServiceContext & Authoring
type Request = NonNullable<RouteConfig['request']>

interface At {
  key: string
  if_match?: string | undefined
}

/** The verbs of a kind, as `defineAuthored` makes them. */
interface Verbs<Query, Draft, Edit, Shown, Left> {
  list(ctx: Context, query: Query): Promise<ListPage<Shown>>
  create: Writes<Draft, Shown>
  get(ctx: Context, key: string): Promise<Shown>
  update: Writes<At & { edit: Edit }, Shown>
  delete: Writes<At, Left>
}

type Writes<Input, Answer> = ((ctx: Context, input: Input) => Promise<Answer>) & Pick<Verb, 'needs'>

/** The description of an operation. */
interface Operation {
  summary: string
  description?: string
  answer: string
  problems?: readonly ErrorCode[]
}

interface Body<Draft> {
  body: NonNullable<Request['body']>
  max_bytes: number
  read(c: ApiContext): Draft
}

/** A document in its author's own text. */
export function documentDraft(schema: z.ZodType, example: string): Body<string> {
  return { body: documentBody(schema, example), max_bytes: MAX_DOCUMENT_BYTES, read: documentText }
}

export function jsonDraft<Schema extends z.ZodType>(schema: Schema, max_bytes: number): Body<z.output<Schema>> {
  return { body: json(schema), max_bytes, read: (c) => validated(c, 'json') }
}

/** The routes of one kind of console document. */
interface AuthoredRoutes<Query, Draft, Edit, Shown, Left> {
  verbs: Verbs<Query, Draft, Edit, Shown, Left>
  /** in the names of the operations: one of them, and all */
  names: readonly [one: string, all: string]
  path: `/${string}`
  params: z.ZodObject
  /** name of a document in the path, and in its record */
  key: keyof Shown & string
  tags: string[]
  record: z.ZodType<Shown>
  /** with `Accept: text/yaml`, one is answered as its text alone */
  as_text?: (shown: Shown) => string
  query?: z.ZodObject
  draft: Body<Draft>
  edit: Body<Edit> & { method: 'put' | 'patch' }
  /** the answer after a deletion; absent for none */
  left?: z.ZodType<Left>
  list: Operation
  create: Operation
  get: Operation
  update: Operation
  delete: Operation
}

/** The routes of a kind: list, create, get, update and delete. */
export function authoredRoutes<Query, Draft, Edit, Shown extends { etag: string }, Left>(
  kind: AuthoredRoutes<Query, Draft, Edit, Shown, Left>,
): Route[] {
  const { verbs, path, params, key, record, draft, edit, as_text, left, query } = kind
  const [one, all] = kind.names
  const address = `${path}/{${key}}` as const
  const { tags } = kind
  const read = { tags, access: 'read', auth: 'user', scope: verbs.create.needs.scope } as const
  const contextOf = (c: ApiContext): Context => ({ ...c.get('ctx'), ...c.get('deps').authoring })
  const keyOf = (c: ApiContext) => String(validated<Record<string, unknown>>(c, 'param')[key])
  const atOf = (c: ApiContext): At => ({
    key: keyOf(c),
    if_match: validated<z.output<typeof IfMatch>>(c, 'header')['if-match'],
  })
  return [
    defineRoute(
      {
        operationId: `list${all}`,
        method: 'get',
        path,
        ...read,
        ...described(kind.list),
        ...(query !== undefined && { request: { query } }),
        responses: answers(200, { ...ok(z.array(record), kind.list.answer), headers: TOTAL }),
      },
      async (c) => {
        const page = await verbs.list(contextOf(c), validated(c, 'query'))
        pageHeaders(c, page)
        return c.json(page.items, 200)
      },
    ),
    defineRoute(
      {
        operationId: `create${one}`,
        method: 'post',
        path,
        tags,
        verb: verbs.create,
        ...described(kind.create),
        request: { body: draft.body },
        max_body_bytes: draft.max_bytes,
        responses: answers(201, { ...ok(record, kind.create.answer), headers: { ...ETAG, ...LOCATION } }),
        idempotent: true,
      },
      async (c) => {
        const made = await verbs.create(contextOf(c), draft.read(c))
        return c.json(made, 201, { location: `${path}/${made[key]}`, etag: made.etag })
      },
    ),
    defineRoute(
      {
        operationId: `get${one}`,
        method: 'get',
        path: address,
        ...read,
        ...described(kind.get),
        request: { params },
        responses: answers(200, {
          ...(as_text === undefined ? ok : documentAnswer)(record, kind.get.answer),
          headers: ETAG,
        }),
      },
      async (c) => {
        const found = await verbs.get(contextOf(c), keyOf(c))
        const { etag } = found
        if (as_text !== undefined && wantsYaml(c))
          return c.body(as_text(found), 200, { etag, 'content-type': 'text/yaml; charset=utf-8' })
        return c.json(found, 200, { etag })
      },
    ),
    defineRoute(
      {
        operationId: `update${one}`,
        method: edit.method,
        path: address,
        tags,
        verb: verbs.update,
        ...described(kind.update),
        request: { params, headers: IfMatch, body: edit.body },
        max_body_bytes: edit.max_bytes,
        responses: answers(200, { ...ok(record, kind.update.answer), headers: ETAG }),
      },
      async (c) => {
        const changed = await verbs.update(contextOf(c), { ...atOf(c), edit: edit.read(c) })
        return c.json(changed, 200, { etag: changed.etag })
      },
    ),
    defineRoute(
      {
        operationId: `delete${one}`,
        method: 'delete',
        path: address,
        tags,
        verb: verbs.delete,
        ...described(kind.delete),
        request: { params, headers: IfMatch },
        responses:
          left === undefined
            ? answers(204, { description: kind.delete.answer })
            : answers(200, ok(left, kind.delete.answer)),
      },
      async (c) => {
        const rest = await verbs.delete(contextOf(c), atOf(c))
        return left === undefined ? c.body(null, 204) : c.json(rest as object, 200)
      },
    ),
  ]
}

function described({ summary, description, problems }: Operation) {
  return { summary, ...(description !== undefined && { description }), ...(problems !== undefined && { problems }) }
}

/** The types of the answers are those of the verbs, which `AuthoredRoutes` compares with the record. */
function answers(status: number, answer: RouteConfig['responses'][string]): RouteConfig['responses'] {
  return { [status]: answer }
}

/** Returns a validated part of the request. */
function validated<Part>(c: ApiContext, part: 'json' | 'query' | 'param' | 'header'): Part {
  return c.req.valid(part as never)
}
