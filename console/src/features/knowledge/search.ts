import { readSearch } from '../../lib/read-search.ts'

const NAMES = ['path', 'digest', 'line'] as const
export type ChunkSearch = Partial<Record<(typeof NAMES)[number], string>>

/** What names a chunk of a corpus, as `GET /ui/api/knowledge/{id}/passage` takes it. */
export const readChunkSearch = (given: Record<string, unknown>): ChunkSearch => readSearch(NAMES, given)
