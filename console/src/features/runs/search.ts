/** The filters of the list, as they stand in its address and as `GET /runs` takes them. */
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
] as const
export type Filter = (typeof FILTERS)[number]
export type RunsSearch = Partial<Record<Filter, string>>

/** What the API does not know is left out of the address rather than refused. */
export function readSearch(given: Record<string, unknown>): RunsSearch {
  return Object.fromEntries(
    FILTERS.flatMap((name) => {
      const value = given[name]
      return typeof value === 'string' && value !== '' ? [[name, value]] : []
    }),
  )
}
