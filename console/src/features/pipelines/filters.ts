import type { Schema } from '../../../../client/create-client.ts'
import type { Filter } from '../../components/filter-bar.tsx'
import { allOf } from '../../lib/use-me.ts'
import { PIPELINES } from '../../strings/pipelines.ts'
import type { PipelinesSearch } from './api.ts'

const { filters } = PIPELINES

export const PIPELINE_FILTERS: readonly Filter<keyof PipelinesSearch>[] = [
  { name: 'name', label: filters.name, kind: 'search' },
  {
    name: 'status',
    label: filters.status,
    choices: allOf<Schema<'Pipeline'>['status']>({
      queued: true,
      running: true,
      blocked: true,
      succeeded: true,
      failed: true,
      rejected: true,
      cancelled: true,
    }),
  },
  { name: 'environment', label: filters.environment },
]
