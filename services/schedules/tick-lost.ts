import type { ScheduleEngine } from '#core/schedule/engine-spec.ts'
import { dueTimes } from '#core/schedule/missed-times.ts'
import type { FireRule } from '#core/schedule/next-fires.ts'
import { isoTime } from '#core/time/time.ts'
import type { ScheduleRow, ScheduleStore } from '#store/schedules/schedules.ts'

/** The engine's own tick may be this late. */
const GRACE_MS = 15_000

export interface TickLostDeps {
  store: Pick<ScheduleStore, 'without'>
  engine: Pick<ScheduleEngine, 'tick'>
  clock(): number
}

/**
 * Ticks for the times that may still fire and have no firing; returns their number. The engine drops pending catch-ups when a schedule is
 * put again, and may delay them long after an outage.
 */
export async function tickLost(
  { store, engine, clock }: TickLostDeps,
  row: ScheduleRow,
  rule: FireRule,
): Promise<number> {
  if (!row.enabled) return 0
  const { jitter_s, catchup } = row
  const now = clock()
  const due = dueTimes(rule, { from: Date.parse(row.accounted_until), until: now - GRACE_MS, now, jitter_s, catchup })
  if (due.length === 0) return 0
  const lost = await store.without(row.id, due.map(isoTime))
  for (const time of lost) await engine.tick(row, Date.parse(time))
  return lost.length
}
