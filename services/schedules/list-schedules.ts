import type { Schedule } from '#core/schedule/schema.ts'
import { type ListPage, type PageRequest, readPage } from '../list-page.ts'
import type { ScheduleContext } from './schedule-ports.ts'
import { toScheduleRecord } from './schedule-record.ts'

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
