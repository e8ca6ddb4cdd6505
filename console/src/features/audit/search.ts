import type { Query } from '#client/create-client.ts'
import { readSearch } from '../../lib/read-search.ts'

/** The filters of the log, as they stand in its address and as `GET /console/api/audit` takes them. */
export const FILTERS = [
  'category',
  'actor',
  'run_id',
  'from',
  'to',
] as const satisfies (keyof Query<'/console/api/audit'>)[]
export type AuditFilter = (typeof FILTERS)[number]
export type AuditSearch = Partial<Record<AuditFilter, string>>

export const readAuditSearch = (given: Record<string, unknown>): AuditSearch => readSearch(FILTERS, given)
