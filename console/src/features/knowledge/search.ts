import { readSearch } from '../../lib/read-search.ts'

const NAMES = ['path', 'digest', 'line'] as const
export type ChunkSearch = Partial<Record<(typeof NAMES)[number], string>>

/** The identity of a chunk, as in `GET /ui/api/knowledge/{id}/passage`. */
export const readChunkSearch = (given: Record<string, unknown>): ChunkSearch => readSearch(NAMES, given)
