import type { Query } from '../../../../client/create-client.ts'
import type { Filter } from '../../components/filter-bar.tsx'
import { allOf } from '../../lib/use-me.ts'
import { STRINGS } from '../../strings.ts'
import type { GateFilter } from './api.ts'

const { fields } = STRINGS.gates

/** Every filter of the queue. */
export const GATE_FILTERS: readonly Filter<GateFilter>[] = [
  { name: 'q', label: fields.q, kind: 'search', live: true },
  { name: 'awaiting_me', label: fields.awaiting_me, kind: 'toggle' },
  {
    name: 'risk',
    label: fields.risk,
    choices: allOf<NonNullable<Query<'/approvals'>['risk']>>({ low: true, medium: true, high: true }),
  },
  { name: 'environment', label: fields.environment },
  { name: 'template', label: fields.template },
]
