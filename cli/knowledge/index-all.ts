import type { Schema } from '#client/create-client.ts'
import type { ApiClient } from '../api-client.ts'

type Indexed = Schema<'CorpusIndexed'>

/** Indexes a corpus until nothing is left, or nothing gets further: one request goes on for about 20 seconds. */
export async function indexAll(
  api: Pick<ApiClient, 'indexCorpus'>,
  id: string,
  documents: Schema<'CorpusIndexing'>['documents'],
): Promise<Indexed> {
  const first = await api.indexCorpus(id, documents === undefined ? {} : { documents })
  let last = first
  let { indexed } = first
  let { made } = first.vectors
  while (isUnderWay(last)) {
    last = await api.indexCorpus(id, {})
    indexed += last.indexed
    made += last.vectors.made
  }
  const { added, changed, unchanged, removed } = first
  return { ...last, added, changed, unchanged, removed, indexed, vectors: { ...last.vectors, made } }
}

function isUnderWay({ corpus, indexed, vectors }: Indexed): boolean {
  const isLeft = corpus.pending > 0 || (vectors.left > 0 && vectors.refused === undefined)
  return isLeft && (indexed > 0 || vectors.made > 0)
}
