import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compileSchedule } from '#core/schedule/compile-schedule.ts'
import { judgeTick } from '#core/schedule/judge-tick.ts'
import { dueTimes, missedTimes, timesBeforeEnd, timesInLine } from '#core/schedule/missed-times.ts'
import { nextFires } from '#core/schedule/next-fires.ts'

const START = Date.parse('2026-01-01T00:00:00Z')
const MINUTE = 60_000
const dst = { gap: 'run_at_end', fold: 'first' } as const
const ruleOf = (cron: string) => compileSchedule({ cron, timezone: 'UTC', dst }, START)
const someRule = fc.constantFrom('* * * * *', '*/7 * * * *', '*/10 * * * * *', '5,6,50 * * * *').map(ruleOf)
const someOutage = fc.record({
  from: fc.integer({ min: START, max: START + 30 * MINUTE }),
  passed: fc.integer({ min: 0, max: 100 * MINUTE }),
  jitter_s: fc.constantFrom(0, 0, 90),
})
const recorded = { changed: 0, enabled: true, deleted: false, archived: false }

test('what is missed is what no tick may fire any more, in order and up to the first that one still may', () => {
  fc.assert(
    fc.property(
      someRule,
      someOutage,
      fc.constantFrom('none', 'latest', 'all'),
      (rule, { from, passed, jitter_s }, catchup) => {
        const now = from + passed
        const passedTimes = nextFires(rule, from, 700).filter((time) => time <= now)
        const verdicts = passedTimes.map((nominal) => judgeTick(rule, { ...recorded, nominal, now, jitter_s, catchup }))
        const end = verdicts.findIndex(({ kind }) => kind !== 'refuse')
        const missed = missedTimes(rule, { from, now, jitter_s, catchup })
        expect(missed.map(({ nominal }) => nominal)).toEqual(passedTimes.slice(0, end < 0 ? undefined : end))
      },
    ),
    { numRuns: 60 },
  )
})

test('what is due is what a tick may still fire, in order, and nothing that is missed', () => {
  const someCatchup = fc.constantFrom('none' as const, 'latest' as const, 'all' as const)
  fc.assert(
    fc.property(someRule, someOutage, someCatchup, (rule, { from, passed, jitter_s }, catchup) => {
      const now = from + passed
      const until = now - 15_000
      const may = nextFires(rule, from, 700).filter((nominal) => {
        const isPast = nominal + jitter_s * 1_000 <= until
        return isPast && judgeTick(rule, { ...recorded, nominal, now, jitter_s, catchup }).kind === 'fire'
      })
      const due = dueTimes(rule, { from, until, now, jitter_s, catchup })
      expect(due).toEqual(may)
      const missed = missedTimes(rule, { from, now, jitter_s, catchup })
      expect(missed.filter(({ nominal }) => due.includes(nominal))).toEqual([])
    }),
    { numRuns: 60 },
  )
})

test('at its end a schedule answers for every time that has passed: missed what was too late, skipped what might have fired', () => {
  const someCatchup = fc.constantFrom('none' as const, 'latest' as const, 'all' as const)
  fc.assert(
    fc.property(someRule, someOutage, someCatchup, (rule, { from, passed, jitter_s }, catchup) => {
      const span = { from, now: from + passed, jitter_s, catchup }
      const times = timesBeforeEnd(rule, span, 'paused')
      expect(times.map(({ nominal }) => nominal)).toEqual(nextFires(rule, from, 700).filter((time) => time <= span.now))
      const missed = missedTimes(rule, span)
      expect(times.slice(0, missed.length)).toEqual(missed)
      for (const { nominal, outcome, reason } of times) {
        const verdict = judgeTick(rule, { ...recorded, ...span, nominal })
        const expected = verdict.kind === 'fire' ? { outcome: 'skipped', reason: 'paused' } : verdict
        expect(expected).toMatchObject({ outcome, reason })
      }
    }),
    { numRuns: 60 },
  )
})

test('those in line are all of the last hour up to now, and there is a line only if the first of them is late', () => {
  fc.assert(
    fc.property(someRule, someOutage, (rule, { from, passed, jitter_s }) => {
      const now = from + passed
      const latest = now - jitter_s * 1_000
      const open = nextFires(rule, from, 700).filter((time) => time <= latest && latest - time <= 60 * MINUTE)
      const isLate = latest - (open[0] ?? latest) > MINUTE
      expect(timesInLine(rule, { from, now, jitter_s })).toEqual(isLate ? open : [])
    }),
    { numRuns: 60 },
  )
})

test('a week without ticks is written down for its last day only', () => {
  const now = START + 7 * 1_440 * MINUTE
  const missed = missedTimes(ruleOf('0 * * * *'), { from: START, now, jitter_s: 0, catchup: 'none' })
  expect(missed).toHaveLength(23)
  expect(missed[0]?.nominal).toBe(now - 23 * 60 * MINUTE)
})
