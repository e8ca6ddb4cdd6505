import { missedTimes, type PassedTime, timesBeforeEnd } from '#core/schedule/missed-times.ts'
import type { FireRule } from '#core/schedule/next-fires.ts'
import { isoTime } from '#core/time/time.ts'
import type { PassedFiring } from '#store/schedules/schedule-firings.ts'
import type { ScheduleRow, ScheduleStore } from '#store/schedules/schedules.ts'
import { ruleOf } from './schedule-record.ts'

/** A tick that is being judged has this long to be written down. */
const GRACE_MS = 10_000
const BATCH = 1_000

/** Writes down, with the reason, what the engine never ticked for and is too late now; answers with how many there were. */
export async function recordMissed(
  { store, clock }: { store: Pick<ScheduleStore, 'recordPassed'>; clock(): number },
  row: ScheduleRow,
  rule: FireRule,
): Promise<number> {
  if (!row.enabled) return 0
  const { jitter_s, catchup } = row
  const from = Date.parse(row.accounted_until)
  const missed = missedTimes(rule, { from, now: clock() - GRACE_MS, jitter_s, catchup }).map(toFiring)
  let recorded = 0
  for (let at = 0; at < missed.length; at += BATCH) {
    recorded += await store.recordPassed(row, missed.slice(at, at + BATCH))
  }
  return recorded
}

/** Returns the outcome of times that have passed without a tick, when the schedule ends now for this reason. */
export function passedAtEnd(row: ScheduleRow, now: number, reason: 'paused' | 'deleted' | 'changed'): PassedFiring[] {
  const rule = row.enabled && row.in_force ? ruleOf(row, now) : undefined
  if (rule === undefined) return []
  const { jitter_s, catchup } = row
  return timesBeforeEnd(rule, { from: Date.parse(row.accounted_until), now, jitter_s, catchup }, reason).map(toFiring)
}

const toFiring = ({ nominal, outcome, reason }: PassedTime): PassedFiring => ({
  nominal_at: isoTime(nominal),
  outcome,
  reason,
})
