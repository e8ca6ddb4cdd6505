import { ApplicationFailure } from '@temporalio/common'
import type { FireResult, ScheduleActivities } from '#core/schedule/contract.ts'

/** What one attempt to fire comes to: an answer, or a failure. */
export type Attempt = FireResult | ApplicationFailure

/** The activity of firing workflows without a schedule on record: attempts follow a script. */
export function createScriptedFirings() {
  const scripts = new Map<string, Attempt[]>()
  const activities: ScheduleActivities = {
    async fireSchedule({ schedule_id }) {
      const next = scripts.get(schedule_id)?.shift()
      if (next === undefined) throw ApplicationFailure.nonRetryable(`no script for ${schedule_id}`)
      if (next instanceof ApplicationFailure) throw next
      return next
    },
  }
  return {
    activities,
    script: (scheduleId: string, attempts: Attempt[]) => void scripts.set(scheduleId, [...attempts]),
  }
}
