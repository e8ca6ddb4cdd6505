import { z } from 'zod'
import { compileSchedule } from '#core/schedule/compile-schedule.ts'
import { nextFires } from '#core/schedule/next-fires.ts'
import { isoTime } from '#core/time/time.ts'
import { type AskScheduleRow, listAskFirings, listAskSchedules } from '#store/ask-reads/schedules.ts'
import { defineAskTool, Limit } from '../define-ask-tool.ts'

export const listScheduleFiringsTool = defineAskTool({
  name: 'list_schedule_firings',
  description: 'The outcomes of the last times of a schedule: started, skipped, missed, denied and why, with the run.',
  input: z.strictObject({ schedule_id: z.string().regex(/^sch_[0-9a-z]{26}$/), limit: Limit }),
  async run({ read }, { schedule_id, limit }) {
    const firings = await listAskFirings(read, schedule_id, limit)
    return { data: { schedule_id, firings }, rows: firings.length, ref: `/triggers/scheduled/${schedule_id}/fires` }
  },
})

/** Most schedules that are read to find the next fire. */
const MAX_SCHEDULES = 200

export const listSchedulesTool = defineAskTool({
  name: 'list_schedules',
  description:
    'What runs by itself and when next: schedules in the order of their next time, those that are paused last.',
  input: z.strictObject({ limit: Limit }),
  async run({ read, clock }, { limit }) {
    const now = clock()
    const rows = await listAskSchedules(read, MAX_SCHEDULES)
    const schedules = rows
      .map(({ days, dst, ...row }) => ({ ...row, next_fire_at: nextOf({ ...row, days, dst }, now) }))
      .sort((a, b) => (a.next_fire_at ?? 'never').localeCompare(b.next_fire_at ?? 'never'))
      .slice(0, limit)
    return {
      data: { now: isoTime(now), schedules, total: rows.length },
      rows: schedules.length,
      ref: '/triggers/scheduled',
    }
  },
})

/** Null where it is paused, or its rule has become invalid. */
function nextOf({ enabled, cron, timezone, days, dst }: AskScheduleRow, now: number): string | null {
  if (!enabled) return null
  try {
    const rule = compileSchedule({ cron, timezone, dst, ...(days !== null && { days }) }, now)
    const [next] = nextFires(rule, now, 1)
    return next === undefined ? null : isoTime(next)
  } catch {
    return null
  }
}
