/** The filters of the queue, as they stand in its address and as `GET /approvals` takes them. */
export const FILTERS = ['awaiting_me', 'risk', 'environment', 'template'] as const
export type GateFilter = (typeof FILTERS)[number]
export type GatesSearch = Partial<Record<GateFilter | 'cursor', string>>

/** What the API does not know is left out of the address rather than refused. */
export function readGatesSearch(given: Record<string, unknown>): GatesSearch {
  return Object.fromEntries(
    [...FILTERS, 'cursor'].flatMap((name) => {
      const value = given[name]
      return typeof value === 'string' && value !== '' ? [[name, value]] : []
    }),
  )
}
