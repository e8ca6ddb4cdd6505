/** The filters of the log, as they stand in its address and as `GET /console/api/audit` takes them. */
export const FILTERS = ['category', 'actor', 'run_id', 'from', 'to'] as const
export type AuditFilter = (typeof FILTERS)[number]
export type AuditSearch = Partial<Record<AuditFilter, string>>

/** What the API does not know is left out of the address rather than refused. */
export function readAuditSearch(given: Record<string, unknown>): AuditSearch {
  return Object.fromEntries(
    FILTERS.flatMap((name) => {
      const value = given[name]
      return typeof value === 'string' && value !== '' ? [[name, value]] : []
    }),
  )
}
