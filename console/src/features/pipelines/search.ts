import type { Query } from '#client/create-client.ts'
import { readSearch } from '../../lib/read-search.ts'

/** The filters of the list, as they stand in its address and as `GET /pipelines` takes them. */
const FILTERS = ['status', 'name', 'environment'] as const satisfies (keyof Query<'/pipelines'>)[]
export type PipelinesSearch = Partial<Record<(typeof FILTERS)[number], string>>

export const readPipelinesSearch = (given: Record<string, unknown>): PipelinesSearch => readSearch(FILTERS, given)
