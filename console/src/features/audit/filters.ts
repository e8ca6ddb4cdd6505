import type { Query } from '../../../../client/create-client.ts'
import type { Filter } from '../../components/filter-bar.tsx'
import { readSearch } from '../../lib/read-search.ts'
import { allOf } from '../../lib/use-me.ts'
import { STRINGS } from '../../strings.ts'

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

const { fields } = STRINGS.audit

/** Every filter of the log. */
export const AUDIT_FILTERS: readonly Filter<AuditFilter>[] = [
  { name: 'actor', label: fields.actor, kind: 'search', live: true },
  { name: 'people', label: fields.people, kind: 'toggle' },
  {
    name: 'category',
    label: fields.category,
    choices: allOf<NonNullable<Query<'/console/api/audit'>['category']>>({
      model_call: true,
      gated_operation: true,
      approval: true,
      policy_decision: true,
      lineage: true,
      expiry: true,
      ask: true,
      trigger: true,
      config: true,
      auth: true,
      admin: true,
      sink: true,
    }),
  },
  { name: 'run_id', label: fields.run_id },
  { name: 'from', label: fields.from, kind: 'time' },
  { name: 'to', label: fields.to, kind: 'time' },
]
