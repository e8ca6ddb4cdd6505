import type { Schedule, ScheduleEdit } from '#core/schedule/schema.ts'
import { changeSchedule, type ScheduleTarget } from './change-schedule.ts'
import type { ScheduleContext } from './schedule-ports.ts'
import { toScheduleRecord } from './schedule-record.ts'

/** Pauses or resumes. A schedule that is already so stays as it is. */
export async function updateSchedule(
  ctx: ScheduleContext,
  input: ScheduleTarget & { edit: ScheduleEdit },
): Promise<Schedule> {
  const enabled = input.edit.enabled ?? input.edit.state === 'active'
  const row = await changeSchedule(ctx, input, (current) =>
    current.enabled === enabled
      ? undefined
      : { enabled, deleted: false, action: enabled ? 'schedule.resumed' : 'schedule.paused' },
  )
  return toScheduleRecord(ctx, row, ctx.clock())
}
