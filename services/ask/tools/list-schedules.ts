import { z } from 'zod'
import { compileSchedule } from '#core/schedule/compile-schedule.ts'
import { nextFires } from '#core/schedule/next-fires.ts'
import { isoTime } from '#core/time.ts'
import { type AskScheduleRow, listAskSchedules } from '#store/ask-reads/schedules.ts'
import { defineAskTool } from '../define-ask-tool.ts'
import { Limit } from '../tool-inputs.ts'

/** So many are looked at to say which of them fires next. */
const LOOKED_AT = 200

export const listSchedulesTool = defineAskTool({
  name: 'list_schedules',
  description:
    'What runs by itself and when next: schedules in the order of their next time, those that are paused last.',
  input: z.strictObject({ limit: Limit }),
  async run({ read, clock }, { limit }) {
    const now = clock()
    const rows = await listAskSchedules(read, LOOKED_AT)
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

/** Null where it is paused, and where its rule was sound once and is not any more. */
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
