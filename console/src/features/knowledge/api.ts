import { queryOptions } from '@tanstack/react-query'
import type { Schema } from '#client/create-client.ts'
import { api, given } from '../../lib/api.ts'
import { readSearch } from '../../lib/read-search.ts'

export type Corpus = Schema<'Corpus'>

const FRESH_MS = 5_000

export const corporaQuery = queryOptions({
  queryKey: ['knowledge'],
  queryFn: async ({ signal }) => given(await api.GET('/ui/api/knowledge', { signal })),
  refetchInterval: FRESH_MS,
})

/** A chunk of a document, as an answer cites it. */
export const chunkQuery = (id: string, { path = '', digest = '', line = '1' }: ChunkSearch) =>
  queryOptions({
    queryKey: ['knowledge', id, path, digest, line],
    queryFn: async ({ signal }) => {
      const params = { path: { id }, query: { path, digest, line: Number(line) } }
      return given(await api.GET('/ui/api/knowledge/{id}/passage', { params, signal }))
    },
    retry: false,
  })

/** Indexes the pending documents. Each request works for a while; repeated until nothing is pending. */
export async function indexCorpus(id: string): Promise<Schema<'CorpusIndexed'>> {
  return given(await api.POST('/ui/api/knowledge/{id}/index', { params: { path: { id } }, body: {} }))
}

export async function searchCorpus(id: string, query: string): Promise<Schema<'CorpusAnswer'>> {
  return given(await api.POST('/ui/api/knowledge/{id}/query', { params: { path: { id } }, body: { query, limit: 8 } }))
}

const NAMES = ['path', 'digest', 'line'] as const
export type ChunkSearch = Partial<Record<(typeof NAMES)[number], string>>

/** The identity of a chunk, as in `GET /ui/api/knowledge/{id}/passage`. */
export const readChunkSearch = (given: Record<string, unknown>): ChunkSearch => readSearch(NAMES, given)
