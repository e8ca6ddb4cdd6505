import type { Query } from '#client/create-client.ts'
import { readSearch } from '../../lib/read-search.ts'

/** The filters of the list, in its address and in `GET /runs`. */
export const FILTERS = [
  'q',
  'status',
  'awaiting_me',
  'environment',
  'template',
  'pack',
  'trigger',
  'lane',
  'label',
  'since',
  'until',
] as const satisfies (keyof Query<'/runs'>)[]
export type Filter = (typeof FILTERS)[number]
export type RunsSearch = Partial<Record<Filter, string>>

export const readRunsSearch = (given: Record<string, unknown>): RunsSearch => readSearch(FILTERS, given)
