import { DAY_MS, HOUR_MS } from '../time/time.ts'
import { judgeTick, ON_TIME_MS, type Tick, type TickVerdict } from './judge-tick.ts'
import { type FireRule, nextFires } from './next-fires.ts'

const CHUNK = 200

/** An existing schedule, for the check of its times. */
const STANDS = { changed: 0, enabled: true, deleted: false, archived: false }

/** A time of a schedule that starts nothing, and why. */
export interface PassedTime {
  /** milliseconds */
  nominal: number
  outcome: 'missed' | 'skipped'
  reason: string
}

type Span = Pick<Tick, 'now' | 'jitter_s' | 'catchup'> & { from: number }

/**
 * Returns the times after `from` that no tick may fire now, oldest first, up to the first that one still may; at most those of the last
 * day. Some of them may have fired.
 */
export function missedTimes(rule: FireRule, span: Span): PassedTime[] {
  const missed: PassedTime[] = []
  for (const { nominal, verdict } of judgedTimes(rule, span)) {
    if (verdict.kind !== 'refuse') break
    missed.push({ nominal, outcome: verdict.outcome, reason: verdict.reason })
  }
  return missed
}

/**
 * Returns the outcome of the times after `from` and up to now that never ticked, when the schedule ends now, oldest first; at most those of
 * the last day. Times that could still have fired are skipped for the reason of the end.
 */
export function timesBeforeEnd(rule: FireRule, span: Span, reason: string): PassedTime[] {
  return Array.from(judgedTimes(rule, span), ({ nominal, verdict }) =>
    verdict.kind === 'refuse'
      ? { nominal, outcome: verdict.outcome, reason: verdict.reason }
      : { nominal, outcome: 'skipped', reason },
  )
}

function* judgedTimes(rule: FireRule, { from, ...tick }: Span): Generator<{ nominal: number; verdict: TickVerdict }> {
  for (const nominal of firesAfter(rule, Math.max(from, tick.now - DAY_MS))) {
    if (nominal > tick.now) break
    yield { nominal, verdict: judgeTick(rule, { ...tick, nominal, ...STANDS }) }
  }
}

/**
 * Returns the times after `from` that are caught up one after the other, up to now: those of the last hour, if the first of them is late.
 * Otherwise none: a punctual time follows the rule for overlaps.
 */
export function timesInLine(
  rule: FireRule,
  { from, now, jitter_s }: Pick<Tick, 'now' | 'jitter_s'> & { from: number },
): number[] {
  const latest = now - jitter_s * 1_000
  const line: number[] = []
  for (const nominal of firesAfter(rule, Math.max(from, latest - HOUR_MS - 1))) {
    if (nominal > latest || (line.length === 0 && latest - nominal <= ON_TIME_MS)) break
    line.push(nominal)
  }
  return line
}

/** The times after `from` and up to `until` that a tick may still fire at `now`, oldest first. */
export function dueTimes(
  rule: FireRule,
  { from, until, ...tick }: Pick<Tick, 'now' | 'jitter_s' | 'catchup'> & { from: number; until: number },
): number[] {
  const due: number[] = []
  const jitter_ms = tick.jitter_s * 1_000
  for (const nominal of firesAfter(rule, Math.max(from, tick.now - jitter_ms - HOUR_MS - 1))) {
    if (nominal > until - jitter_ms) break
    const verdict = judgeTick(rule, { ...tick, nominal, ...STANDS })
    if (verdict.kind === 'fire') due.push(nominal)
  }
  return due
}

function* firesAfter(rule: FireRule, from: number): Generator<number> {
  for (let last: number | undefined = from; last !== undefined; ) {
    const chunk = nextFires(rule, last, CHUNK)
    yield* chunk
    last = chunk.at(-1)
  }
}
