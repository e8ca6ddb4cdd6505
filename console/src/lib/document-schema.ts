import { queryOptions } from '@tanstack/react-query'
import { api, given } from './api.ts'
import type { DocumentSchema } from './suggest-yaml.ts'

/** What is written as YAML, by the part of the API that takes it. */
export type DocumentKind = 'policies' | 'triggers' | 'environments' | 'profiles'

type Written = { post: { requestBody: { content: { 'application/json': { schema: DocumentSchema } } } } }

/** How such a document looks, by the description of the API. */
export const documentSchemaQuery = (kind: DocumentKind) =>
  queryOptions({
    queryKey: ['openapi'],
    queryFn: async ({ signal }) => given(await api.GET('/openapi.json', { signal })),
    staleTime: Number.POSITIVE_INFINITY,
    select: ({ paths }) =>
      (paths as Record<string, Written | undefined>)[`/ui/api/${kind}`]?.post.requestBody.content['application/json']
        .schema,
  })
