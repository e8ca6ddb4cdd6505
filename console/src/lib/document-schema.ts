import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { api, given } from './api.ts'
import type { DocumentSchema } from './suggest-yaml.ts'

/** Kinds of YAML documents, by the part of the API that takes them. */
export type DocumentKind = 'policies' | 'triggers' | 'environments' | 'profiles'

type Written = { post: { requestBody: { content: { 'application/json': { schema: DocumentSchema } } } } }

const DESCRIPTION = queryOptions({
  queryKey: ['openapi'],
  queryFn: async ({ signal }) => given(await api.GET('/openapi.json', { signal })),
  staleTime: Number.POSITIVE_INFINITY,
})

/** Returns the schema of a document from the description of the API, which is read once. */
export async function readDocumentSchema(client: QueryClient, kind: DocumentKind): Promise<DocumentSchema | undefined> {
  const { paths } = await client.ensureQueryData(DESCRIPTION)
  return (paths as Record<string, Written | undefined>)[`/ui/api/${kind}`]?.post.requestBody.content['application/json']
    .schema
}
