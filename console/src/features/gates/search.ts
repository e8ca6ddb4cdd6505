import type { Query } from '#client/create-client.ts'
import { readSearch } from '../../lib/read-search.ts'

/** The filters of the queue, in its address and in `GET /approvals`. */
export const FILTERS = [
  'q',
  'awaiting_me',
  'risk',
  'environment',
  'template',
] as const satisfies (keyof Query<'/approvals'>)[]
export type GateFilter = (typeof FILTERS)[number]
export type GatesSearch = Partial<Record<GateFilter | 'cursor' | 'gate', string>>

export const readGatesSearch = (given: Record<string, unknown>): GatesSearch =>
  readSearch([...FILTERS, 'cursor', 'gate'], given)
