import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { connectionsQuery } from './account-queries.ts'
import { api, given } from './api.ts'
import type { DocumentSchema } from './suggest-yaml.ts'

/** Kinds of YAML documents, by the part of the API that takes them. */
export type DocumentKind = 'policies' | 'triggers' | 'environments' | 'profiles'

const FRESH_MS = 10_000

type Written = { post: { requestBody: { content: { 'application/json': { schema: DocumentSchema } } } } }

const DESCRIPTION = queryOptions({
  queryKey: ['openapi'],
  queryFn: async ({ signal }) => given(await api.GET('/openapi.json', { signal })),
  staleTime: Number.POSITIVE_INFINITY,
})

/** Returns the schema of a document from the description of the API, which is read once. */
export async function readDocumentSchema(client: QueryClient, kind: DocumentKind): Promise<DocumentSchema | undefined> {
  const { paths } = await client.ensureQueryData(DESCRIPTION)
  const written = (paths as Record<string, Written | undefined>)[`/ui/api/${kind}`]
  const schema = written?.post.requestBody.content['application/json'].schema
  if (schema === undefined || kind !== 'environments') return schema
  const connections = await client.fetchQuery({ ...connectionsQuery, staleTime: FRESH_MS }).catch(() => [])
  return withConnections(
    schema,
    connections.map(({ name }) => name),
  )
}

/** The same schema, which also says what connections there are to refer to. */
export function withConnections(schema: DocumentSchema, names: readonly string[]): DocumentSchema {
  const { connections } = schema.properties ?? {}
  const bound = connections?.additionalProperties
  if (typeof bound !== 'object') return schema
  const url = { type: 'string', enum: names.map((name) => `connection:${name}`) }
  const additionalProperties = { ...bound, properties: { ...bound.properties, url } }
  return { ...schema, properties: { ...schema.properties, connections: { ...connections, additionalProperties } } }
}
