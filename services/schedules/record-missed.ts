import { missedTimes } from '#core/schedule/missed-times.ts'
import type { FireRule } from '#core/schedule/next-fires.ts'
import { isoTime } from '#core/time.ts'
import type { ScheduleRow, ScheduleStore } from '#store/schedules.ts'

/** A tick that is being judged has this long to be written down. */
const GRACE_MS = 10_000
const BATCH = 1_000

/** Writes down, with the reason, what the engine never ticked for and is too late now; answers with how many there were. */
export async function recordMissed(
  { store, clock }: { store: ScheduleStore; clock(): number },
  row: ScheduleRow,
  rule: FireRule,
): Promise<number> {
  if (!row.enabled) return 0
  const { jitter_s, catchup } = row
  const from = Date.parse(row.accounted_until)
  const missed = missedTimes(rule, { from, now: clock() - GRACE_MS, jitter_s, catchup })
  let recorded = 0
  for (let at = 0; at < missed.length; at += BATCH) {
    const batch = missed.slice(at, at + BATCH)
    recorded += await store.recordMissed(
      row,
      batch.map(({ nominal, reason }) => ({ nominal_at: isoTime(nominal), reason })),
    )
  }
  return recorded
}
