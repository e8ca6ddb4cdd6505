import { readSearch } from '../../lib/read-search.ts'

const NAMES = ['path', 'digest', 'line'] as const
export type PassageSearch = Partial<Record<(typeof NAMES)[number], string>>

/** What names a passage of a corpus, as `GET /ui/api/knowledge/{id}/passage` takes it. */
export const readPassageSearch = (given: Record<string, unknown>): PassageSearch => readSearch(NAMES, given)
