import { DomainError } from '#core/errors.ts'

const CHUNK_PATH = /^\/ui\/api\/knowledge\/([^/?]+)\/passage\?(.*)$/

export interface NamedChunk {
  /** of the corpus */
  id: string
  path: string
  line: number
  digest: string
}

/** The chunk that a path of the API opens; undefined where it opens anything else. */
export function findChunkInRef(ref: string): NamedChunk | undefined {
  const [, id, query] = CHUNK_PATH.exec(ref) ?? []
  const search = new URLSearchParams(query)
  const [path, digest] = [search.get('path'), search.get('digest')]
  if (id === undefined || path === null || digest === null) return undefined
  return { id, path, digest, line: Number(search.get('line') ?? 1) }
}

/** The same. Throws `validation_failed`. */
export function chunkOfRef(ref: string): NamedChunk {
  const found = findChunkInRef(ref)
  if (found === undefined)
    throw new DomainError('validation_failed', 'a reference is the path of a citation: /ui/api/knowledge/…/passage?…')
  return found
}
