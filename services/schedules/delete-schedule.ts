import { DomainError } from '#core/errors.ts'
import { changeSchedule, type ScheduleTarget } from './change-schedule.ts'
import type { ScheduleContext } from './schedule-ports.ts'

/** Deletes a schedule; its runs and their records stay. What a pack or a file declares can only be paused here. */
export async function deleteSchedule(ctx: ScheduleContext, input: ScheduleTarget): Promise<void> {
  await changeSchedule(ctx, input, (current) => {
    if (current.source !== 'console') {
      const where = `The ${current.source} declares this schedule: pause it, or remove it there.`
      throw new DomainError('conflict', where, { source: current.source })
    }
    return { enabled: current.enabled, deleted: true, action: 'schedule.deleted' }
  })
}
