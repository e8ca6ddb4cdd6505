import { DomainError } from '#core/errors.ts'
import type { Schedule, ScheduleEdit } from '#core/schedule/schema.ts'
import { isoTime } from '#core/time/time.ts'
import type { ScheduleRow } from '#store/schedules/schedules.ts'
import { mustMatch } from '../authored-document.ts'
import { defineVerb } from '../define-verb.ts'
import { syncNow } from './put-in-engine.ts'
import { passedAtEnd } from './record-passed.ts'
import { type ScheduleContext, scheduleAudit, toScheduleRecord } from './schedule-record.ts'

const ATTEMPTS = 5

export interface ScheduleTarget {
  schedule_id: string
  if_match?: string | undefined
}

/** Changes a schedule by `decide`; undefined leaves it. Decides again after a concurrent change. */
async function changeSchedule(
  ctx: ScheduleContext,
  { schedule_id, if_match }: ScheduleTarget,
  decide: (row: ScheduleRow) => { enabled: boolean; deleted: boolean; action: string } | undefined,
): Promise<ScheduleRow> {
  const { store } = ctx.schedules
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const current = await store.findIn(ctx.workspace_id, schedule_id)
    if (current === undefined) throw new DomainError('not_found', 'there is no such schedule')
    mustMatch(if_match, `"${current.version}"`, 'The schedule')
    const decided = decide(current)
    if (decided === undefined) return current
    const { action, ...change } = decided
    const audit = scheduleAudit(ctx, schedule_id, { action, data: { name: current.name } })
    const now = ctx.clock()
    const passed = passedAtEnd(current, now, change.deleted ? 'deleted' : 'paused')
    const changed = await store.change(current, { ...change, until: isoTime(now), passed }, audit)
    if (changed !== undefined) return await syncNow(ctx, changed)
  }
  throw new DomainError('conflict', 'The schedule is being changed by others; try again.', { retry_after_s: 1 })
}

/** Pauses or resumes. A schedule in that state already stays unchanged. */
export const updateSchedule = defineVerb(
  { role: 'operator', access: 'write', scope: 'workspace' },
  async (ctx: ScheduleContext, input: ScheduleTarget & { edit: ScheduleEdit }): Promise<Schedule> => {
    const enabled = input.edit.enabled ?? input.edit.state === 'active'
    const row = await changeSchedule(ctx, input, (current) =>
      current.enabled === enabled
        ? undefined
        : { enabled, deleted: false, action: enabled ? 'schedule.resumed' : 'schedule.paused' },
    )
    return toScheduleRecord(ctx, row, ctx.clock())
  },
)

/** Deletes a schedule; its runs and their records stay. A declared schedule can only be paused here. */
export const deleteSchedule = defineVerb(
  { role: 'operator', access: 'write', scope: 'workspace' },
  async (ctx: ScheduleContext, input: ScheduleTarget): Promise<void> => {
    await changeSchedule(ctx, input, (current) => {
      if (current.source !== 'console') {
        const where = `The ${current.source} declares this schedule: pause it, or remove it there.`
        throw new DomainError('conflict', where, { source: current.source })
      }
      return { enabled: current.enabled, deleted: true, action: 'schedule.deleted' }
    })
  },
)
