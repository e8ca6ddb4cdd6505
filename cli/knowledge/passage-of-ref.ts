import { DomainError } from '#core/errors.ts'

const PASSAGE = /^\/ui\/api\/knowledge\/([^/?]+)\/passage\?(.*)$/

export interface NamedPassage {
  /** of the corpus */
  id: string
  path: string
  line: number
  digest: string
}

/** The passage that a path of the API opens; undefined where it opens anything else. */
export function findPassageInRef(ref: string): NamedPassage | undefined {
  const [, id, query] = PASSAGE.exec(ref) ?? []
  const search = new URLSearchParams(query)
  const [path, digest] = [search.get('path'), search.get('digest')]
  if (id === undefined || path === null || digest === null) return undefined
  return { id, path, digest, line: Number(search.get('line') ?? 1) }
}

/** The same. Throws `validation_failed`. */
export function passageOfRef(ref: string): NamedPassage {
  const found = findPassageInRef(ref)
  if (found === undefined)
    throw new DomainError(
      'validation_failed',
      'a reference is the path that stands with a cited passage: /ui/api/knowledge/…/passage?…',
    )
  return found
}
