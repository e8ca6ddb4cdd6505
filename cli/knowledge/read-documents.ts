import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import type { Schema } from '#client/create-client.ts'
import { DomainError } from '#core/errors.ts'
import { isDocumentPath } from '#core/knowledge/chunk-text.ts'
import type { ApiClient } from '../client/api-client.ts'

type Documents = NonNullable<Schema<'CorpusIndexing'>['documents']>

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Files of this machine as documents, by their relative path, else by their name. */
export async function readDocuments(files: readonly string[]): Promise<Documents> {
  return await Promise.all(
    files.map(async (file) => {
      const relative = file.replace(/^(\.\/)+/, '')
      return { path: isDocumentPath(relative) ? relative : basename(file), text: await textOf(file) }
    }),
  )
}

async function textOf(file: string): Promise<string> {
  try {
    return utf8.decode(await readFile(file))
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new DomainError('validation_failed', `${file} cannot be read as text: ${reason}`)
  }
}

type Indexed = Schema<'CorpusIndexed'>

/** Indexes a corpus until nothing is left, or there is no progress: one request runs for about 20 seconds. */
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
