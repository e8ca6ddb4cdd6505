import { DomainError } from '#core/errors.ts'
import { compileSchedule } from '#core/schedule/compile-schedule.ts'
import { nextFires } from '#core/schedule/next-fires.ts'
import type { Schedule, ScheduleFires, SchedulePreview, ScheduleTimesQuery } from '#core/schedule/schema.ts'
import { isoTime } from '#core/time/time.ts'
import type { ServiceContext } from '../context.ts'
import { type ListPage, type PageRequest, readPage } from '../list-page.ts'
import { ruleOf, type ScheduleContext, toScheduleRecord } from './schedule-record.ts'

const MAX_PREVIEWED = 10

/** Returns the next fires of a schedule with these times. Throws `invalid_schedule`. */
export function previewSchedule(
  { clock }: Pick<ServiceContext, 'clock'>,
  { gap, fold, ...times }: ScheduleTimesQuery,
): SchedulePreview {
  const now = clock()
  const rule = compileSchedule({ ...times, dst: { gap, fold } }, now)
  return { next_fires: nextFires(rule, now, MAX_PREVIEWED).map(isoTime) }
}

const MAX_PAST = 50
const MAX_NEXT = 10

/** The next times of a schedule, and what became of the last ones, those that were missed too. Throws `not_found`. */
export async function listFires(
  ctx: Pick<ScheduleContext, 'clock' | 'schedules' | 'workspace_id'>,
  scheduleId: string,
): Promise<ScheduleFires> {
  const { store } = ctx.schedules
  const row = await store.findIn(ctx.workspace_id, scheduleId)
  if (row === undefined) throw new DomainError('not_found', 'there is no such schedule')
  const now = ctx.clock()
  const rule = row.enabled ? ruleOf(row, now) : undefined
  const past = await store.past(ctx.workspace_id, scheduleId, MAX_PAST)
  return {
    next: rule === undefined ? [] : nextFires(rule, now, MAX_NEXT).map(isoTime),
    past: past.map(({ run_id, reason, ...fire }) => ({
      ...fire,
      ...(run_id !== null && { run_id }),
      ...(reason !== null && { reason }),
    })),
  }
}

/** The schedules of the caller's workspace, newest first, a page at a time; of those with the same name the one in force. */
export function listSchedules(
  ctx: Pick<ScheduleContext, 'workspace_id' | 'schedules' | 'clock' | 'packs'>,
  input: PageRequest,
): Promise<ListPage<Schedule>> {
  const { store } = ctx.schedules
  const now = ctx.clock()
  return readPage(input, {
    prefix: 'sch',
    rows: (page) => store.list(ctx.workspace_id, page),
    count: (up_to) => store.count(ctx.workspace_id, up_to),
    toItem: (row) => toScheduleRecord(ctx, row, now),
  })
}
