import { z } from 'zod'
import type { Route } from '../define-route.ts'
import { dereferenced } from '../shared-components.ts'
import { ANNOTATIONS, type JsonSchema, type McpTool } from './mcp-tool.ts'

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
        // a tool's schema has to be complete without references
        schema: z.object({ type: z.enum(['string', 'integer', 'number', 'boolean']) }).catchall(z.json()),
      }),
    )
    .default([]),
})
const Described = z.looseObject({ parameters: z.array(z.unknown()).optional() })
const Description = z.object({ paths: z.record(z.string(), z.record(z.string(), Described)) })

type Operation = z.infer<typeof Operation>
type Parameter = Operation['parameters'][number]

/** The cursor of the next page: in headers over HTTP, in the result here. */
const CURSOR = 'The `next_cursor` of the page before'

/** Every tool, in the order of the registry: the GET routes that read and that every user may call. */
export function toolsOf(routes: readonly Route[], document: object): ReadonlyMap<string, McpTool> {
  const { paths } = Description.parse(document)
  return new Map(
    routes.filter(isRead).flatMap((route) => {
      const described = paths[route.path]?.[route.method]
      const parameters = described?.parameters?.map((each) => dereferenced(document, each))
      const operation = Operation.parse(described === undefined ? undefined : { ...described, parameters })
      return operation.tags.includes('meta') ? [] : [[route.operationId, toolOf(route, operation)] as const]
    }),
  )
}

/** Only declared reads by GET, for every user, are offered. */
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
