import type { Query, Schema } from '../../../../client/create-client.ts'
import type { Filter } from '../../components/filter-bar.tsx'
import { allOf } from '../../lib/use-me.ts'
import { STRINGS } from '../../strings.ts'
import type { Filter as Name } from './api.ts'

const { fields } = STRINGS.runs

/** Every filter of `GET /runs`. */
export const RUN_FILTERS: readonly Filter<Name>[] = [
  { name: 'q', label: fields.q, kind: 'search', live: true },
  { name: 'awaiting_me', label: fields.awaiting_me, kind: 'toggle' },
  {
    name: 'status',
    label: fields.status,
    choices: allOf<Schema<'RunStatus'>>({
      queued: true,
      running: true,
      awaiting_approval: true,
      cancelling: true,
      succeeded: true,
      failed: true,
      rejected: true,
      cancelled: true,
      expired: true,
    }),
  },
  { name: 'environment', label: fields.environment },
  { name: 'template', label: fields.template },
  { name: 'pack', label: fields.pack },
  {
    name: 'trigger',
    label: fields.trigger,
    names: { again: STRINGS.run.start_again.whole.ask, retry: STRINGS.run.start_again.retry.ask },
    choices: allOf<NonNullable<Query<'/runs'>['trigger']>>({
      alert: true,
      pattern: true,
      manual: true,
      schedule: true,
      ingress: true,
      pipeline: true,
      bus: true,
      direct: true,
      ask: true,
      replay: true,
      again: true,
      retry: true,
    }),
  },
  { name: 'lane', label: fields.lane, choices: allOf<Schema<'Lane'>>({ realtime: true, background: true }) },
  { name: 'label', label: fields.label },
  { name: 'since', label: fields.since, kind: 'time' },
  { name: 'until', label: fields.until, kind: 'time' },
]
