import type { createClient, Query, Schema } from '#client/create-client.ts'
import { bodyOf, done, once } from './api-answers.ts'

/** Corpora, as the command line asks for them. */
export function createApiKnowledge(client: ReturnType<typeof createClient>) {
  const at = (id: string) => ({ params: { path: { id } } })
  return {
    corpora: () => bodyOf(client.GET('/ui/api/knowledge')),
    createCorpus: (body: Schema<'CorpusDraft'>) =>
      once((header) => bodyOf(client.POST('/ui/api/knowledge', { params: { header }, body }))),
    indexCorpus: (id: string, body: Schema<'CorpusIndexing'>) =>
      bodyOf(client.POST('/ui/api/knowledge/{id}/index', { ...at(id), body })),
    queryCorpus: (id: string, body: Schema<'CorpusQuestion'>) =>
      bodyOf(client.POST('/ui/api/knowledge/{id}/query', { ...at(id), body })),
    passage: (id: string, query: Query<'/ui/api/knowledge/{id}/passage'>) =>
      bodyOf(client.GET('/ui/api/knowledge/{id}/passage', { params: { path: { id }, query } })),
    deleteCorpus: (id: string) => done(client.DELETE('/ui/api/knowledge/{id}', at(id))),
  }
}
