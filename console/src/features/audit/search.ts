import type { Query } from '#client/create-client.ts'
import { readSearch } from '../../lib/read-search.ts'

/** The filters of the log, in its address and in `GET /console/api/audit`. */
export const FILTERS = [
  'category',
  'actor',
  'people',
  'run_id',
  'from',
  'to',
] as const satisfies (keyof Query<'/console/api/audit'>)[]
export type AuditFilter = (typeof FILTERS)[number]
export type AuditSearch = Partial<Record<AuditFilter, string>>

export const readAuditSearch = (given: Record<string, unknown>): AuditSearch => readSearch(FILTERS, given)
