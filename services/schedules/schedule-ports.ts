import type { ScheduleEngine } from '#core/schedule/engine-spec.ts'
import type { ScheduleStore } from '#store/schedules.ts'
import type { StartContext } from '../context.ts'

/** What schedules stand on. Without an engine rows wait for the sync loop of a worker. */
export interface SchedulePorts {
  store: ScheduleStore
  engine?: ScheduleEngine
}

export type ScheduleContext = StartContext & { schedules: SchedulePorts }
