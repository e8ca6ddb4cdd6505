import { OpenAPIHono } from '@hono/zod-openapi'
import type { ApiEnv } from '#api/context.ts'
import { describeApi } from '#api/openapi.ts'
import { routes } from '#api/registry.ts'
import { dereferenced } from '#api/shared-components.ts'

interface Content {
  headers?: Record<string, unknown>
  content?: Record<string, { schema?: object }>
}

export interface DescribedParameter {
  name: string
  in: string
  required?: boolean
  schema: { type?: string; enum?: unknown[]; example?: unknown }
}

export interface DescribedOperation {
  operationId: string
  parameters?: DescribedParameter[]
  requestBody?: Content
  'x-svc-key-scope'?: string
  responses: Record<string, Content>
}

export interface ApiDocument {
  components?: { schemas?: Record<string, object> }
  paths: Record<string, Record<string, DescribedOperation>>
}

/** The description of every route in the registry, as it is served, without anything that a running API stands on. */
export function apiDocument(): ApiDocument {
  const app = new OpenAPIHono<ApiEnv>()
  for (const route of routes) route.mount(app)
  return describeApi(app, 'pinned') as ApiDocument
}

/** The description with the parameters and responses of every operation in place of references to them. */
export function readDocument(served: object = apiDocument()): ApiDocument {
  const { paths, ...rest } = served as ApiDocument
  const read = mapValues(paths, (methods) =>
    mapValues(methods, ({ parameters, responses, ...operation }) => ({
      ...operation,
      ...(parameters !== undefined && {
        parameters: parameters.map((each) => dereferenced(served, each) as DescribedParameter),
      }),
      responses: mapValues(responses, (each) => dereferenced(served, each) as Content),
    })),
  )
  return { ...rest, paths: read }
}

function mapValues<Value, Mapped>(
  record: Record<string, Value>,
  map: (value: Value) => Mapped,
): Record<string, Mapped> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]))
}

let document: ApiDocument | undefined

/** The schema that a reference of the description points to. */
export function describedSchema(ref: string): object | undefined {
  document ??= apiDocument()
  return document.components?.schemas?.[ref.replace('#/components/schemas/', '')]
}

let operations: Map<string, DescribedOperation> | undefined

/** The operation as the API describes it. */
export function describedOperation(id: string): DescribedOperation {
  operations ??= new Map(
    Object.values(readDocument().paths).flatMap((methods) =>
      Object.values(methods).map((operation) => [operation.operationId, operation] as const),
    ),
  )
  const found = operations.get(id)
  if (found === undefined) throw new Error(`api/registry.ts has no operation ${id}`)
  return found
}

/** The query that the operation cannot do without, as its description gives it for an example. */
export function neededQuery(id: string): Record<string, string> {
  const needed = (describedOperation(id).parameters ?? []).filter((each) => each.in === 'query' && each.required)
  return Object.fromEntries(
    needed.map(({ name, schema: { example } }) => {
      if (example === undefined) throw new Error(`${id}: give ?${name} an \`example\` in its schema`)
      return [name, String(example)]
    }),
  )
}
