import type { ScheduleActivities } from '#core/schedule/contract.ts'
import { type FireDeps, fireSchedule } from '#services/schedules/fire-schedule.ts'

/** Activities of the firing workflow. */
export function createScheduleActivities(deps: FireDeps): ScheduleActivities {
  return { fireSchedule: (input) => fireSchedule(deps, input) }
}
