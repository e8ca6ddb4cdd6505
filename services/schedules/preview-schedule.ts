import { compileSchedule } from '#core/schedule/compile-schedule.ts'
import { nextFires } from '#core/schedule/next-fires.ts'
import type { SchedulePreview, ScheduleTimesQuery } from '#core/schedule/schema.ts'
import { isoTime } from '#core/time.ts'
import type { ServiceContext } from '../context.ts'

const MOST_NEXT = 10

/** When a schedule with these times would fire next. Throws `invalid_schedule`. */
export function previewSchedule(
  { clock }: Pick<ServiceContext, 'clock'>,
  { gap, fold, ...times }: ScheduleTimesQuery,
): SchedulePreview {
  const now = clock()
  const rule = compileSchedule({ ...times, dst: { gap, fold } }, now)
  return { next_fires: nextFires(rule, now, MOST_NEXT).map(isoTime) }
}
