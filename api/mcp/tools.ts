import { z } from 'zod'
import type { Json } from '#core/json.ts'
import type { Route } from '../define-route.ts'

/** The part of an operation's description that a tool is made of. */
const Operation = z.object({
  operationId: z.string(),
  summary: z.string(),
  description: z.string().optional(),
  tags: z.array(z.string()),
  parameters: z
    .array(
      z.object({
        name: z.string(),
        in: z.enum(['path', 'query', 'header']),
        required: z.boolean().default(false),
        // a reference would lead nowhere in a schema that stands alone
        schema: z.object({ type: z.enum(['string', 'integer', 'number', 'boolean']) }).catchall(z.json()),
      }),
    )
    .default([]),
})
const Description = z.object({ paths: z.record(z.string(), z.record(z.string(), z.unknown())) })

type Operation = z.infer<typeof Operation>
type Parameter = Operation['parameters'][number]
type JsonSchema = Record<string, Json>

/** Reads, and nothing but reads: what clients may let an agent do without asking. */
const ANNOTATIONS = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false } as const
/** How the page before names the next one: in headers over HTTP, in the result here. */
const CURSOR = 'The `next_cursor` of the page before'

/** A read of the API as agents are offered it. */
export interface McpTool {
  path: string
  /** where each argument goes */
  places: ReadonlyMap<string, 'path' | 'query'>
  /** as `tools/list` gives it */
  shown: {
    name: string
    title: string
    description: string
    inputSchema: {
      type: 'object'
      properties: Record<string, JsonSchema>
      required: string[]
      additionalProperties: false
    }
    annotations: typeof ANNOTATIONS & { title: string }
  }
}

/** Every tool, in the order of the registry: the GET routes that read and that every user may call. */
export function toolsOf(routes: readonly Route[], document: object): ReadonlyMap<string, McpTool> {
  const { paths } = Description.parse(document)
  return new Map(
    routes.filter(isRead).flatMap((route) => {
      const operation = Operation.parse(paths[route.path]?.[route.method])
      return operation.tags.includes('meta') ? [] : [[route.operationId, toolOf(route, operation)] as const]
    }),
  )
}

/** What is not declared to be a read, for every user, by GET, is not offered. */
function isRead({ method, access, auth }: Route): boolean {
  return method === 'get' && access === 'read' && auth === 'user'
}

function toolOf(route: Route, { operationId: name, summary: title, description, parameters }: Operation): McpTool {
  const taken = parameters.filter((each) => each.in !== 'header' && !route.downloads_by.includes(each.name))
  return {
    path: route.path,
    places: new Map(taken.map((each) => [each.name, each.in === 'path' ? 'path' : 'query'])),
    shown: {
      name,
      title,
      description: description === undefined ? `${title}.` : `${title}. ${description}`,
      inputSchema: {
        type: 'object',
        properties: Object.fromEntries(taken.map((each) => [each.name, schemaOf(each)])),
        required: taken.filter((each) => each.required).map((each) => each.name),
        additionalProperties: false,
      },
      annotations: { title, ...ANNOTATIONS },
    },
  }
}

function schemaOf({ name, schema: { example, ...schema } }: Parameter): JsonSchema {
  const described = name === 'cursor' ? { ...schema, description: CURSOR } : schema
  return example === undefined ? described : { ...described, examples: [example] }
}
