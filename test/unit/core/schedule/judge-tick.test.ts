import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compileSchedule } from '#core/schedule/compile-schedule.ts'
import { parseCron } from '#core/schedule/cron.ts'
import { judgeTick, type Tick } from '#core/schedule/judge-tick.ts'
import { isFire, nextFires } from '#core/schedule/next-fires.ts'

const { cron } = parseCron('*/10 * * * *')
const { cron: once } = parseCron('30 2 * * *')
if (cron === undefined || once === undefined) throw new Error('not a cron')
const RULE = { cron, timezone: 'UTC', days: 'and', dst: { gap: 'run_at_end', fold: 'first' } } as const
const NOMINAL = Date.parse('2026-01-01T00:10:00Z')
const MINUTE = 60_000
const START = Date.parse('2026-01-01T00:00:00Z')

const STANDS = { enabled: true, deleted: false, archived: false }

const judge = (changes: Partial<Tick>) =>
  judgeTick(RULE, {
    nominal: NOMINAL,
    now: NOMINAL,
    changed: START,
    jitter_s: 0,
    enabled: true,
    deleted: false,
    archived: false,
    catchup: 'none',
    ...changes,
  })

test.each([
  ['on time', {}, 'fire'],
  ['a minute late', { now: NOMINAL + MINUTE }, 'fire'],
  ['late with jitter', { now: NOMINAL + 3 * MINUTE, jitter_s: 120 }, 'fire'],
  ['a second early, as clocks differ', { now: NOMINAL - 1_000 }, 'fire'],
  ['early', { now: NOMINAL - 1_001 }, 'not_due'],
  ['early and paused', { now: NOMINAL - MINUTE, enabled: false }, 'not_due'],
  ['early and deleted', { now: NOMINAL - MINUTE, deleted: true }, 'not_due'],
  ['not a time of the schedule', { nominal: NOMINAL - MINUTE }, 'not_scheduled'],
  ['from before its last change', { nominal: NOMINAL - MINUTE, changed: NOMINAL - MINUTE }, 'none'],
  ['paused', { enabled: false }, 'paused'],
  ['deleted', { deleted: true }, 'deleted'],
  ['in an archive', { archived: true }, 'workspace_archived'],
  ['late', { now: NOMINAL + 2 * MINUTE }, 'late'],
  ['late, all', { now: NOMINAL + 59 * MINUTE, catchup: 'all' }, 'fire'],
  ['too late, all', { now: NOMINAL + 61 * MINUTE, catchup: 'all' }, 'catchup_window'],
  ['late, latest', { now: NOMINAL + 9 * MINUTE, catchup: 'latest' }, 'fire'],
  ['overtaken, latest', { now: NOMINAL + 10 * MINUTE, catchup: 'latest' }, 'superseded'],
] as const)('a tick that is %s', (_name, changes, expected) => {
  const verdict = judge(changes)
  const reason = 'reason' in verdict ? verdict.reason : 'why' in verdict ? verdict.why : verdict.kind
  expect(reason).toBe(expected)
})

test('the second pass of a fold is no firing, and nobody’s claim', () => {
  const nominal = Date.parse('2026-10-25T01:30:00Z')
  const rule = { ...RULE, cron: once, timezone: 'Europe/Berlin' }
  const tick = { changed: START, jitter_s: 0, ...STANDS, catchup: 'none' } as const
  const first = nominal - 60 * MINUTE
  expect(judgeTick(rule, { ...tick, nominal: first, now: first })).toEqual({ kind: 'fire' })
  expect(judgeTick(rule, { ...tick, nominal, now: nominal })).toEqual({ kind: 'none' })
})

const someRule = fc.constantFrom('* * * * *', '*/7 * * * *', '*/10 * * * * *', '5,6,50 * * * *', '30 2 29 2 *')
const someTick = fc.record({
  nominal: fc.integer({ min: START / 1_000, max: START / 1_000 + 86_400 * 800 }).map((second) => second * 1_000),
  late_ms: fc.oneof(fc.integer({ min: -10 * MINUTE, max: 90 * MINUTE }), fc.integer({ min: -(2 ** 41), max: 0 })),
  jitter_s: fc.constantFrom(0, 90),
  changed: fc.constantFrom(0, START, START + 86_400_000),
  enabled: fc.boolean(),
  deleted: fc.boolean(),
  archived: fc.boolean(),
  catchup: fc.constantFrom('none', 'latest', 'all'),
})

test('what has not come is never fired and never used up, no matter what the schedule and however it stands', () => {
  fc.assert(
    fc.property(someRule, someTick, fc.boolean(), (cron, { nominal, late_ms, ...tick }, aimed) => {
      const rule = compileSchedule({ cron, timezone: 'UTC', dst: RULE.dst }, START)
      const time = aimed ? (nextFires(rule, nominal, 1)[0] ?? nominal) : nominal
      const verdict = judgeTick(rule, { ...tick, nominal: time, now: time + late_ms })
      if (late_ms < -1_000) expect(verdict).toEqual({ kind: 'claim', why: 'not_due' })
      else expect(verdict).not.toEqual({ kind: 'claim', why: 'not_due' })
      if (!isFire(rule, time)) expect(['claim', 'none']).toContain(verdict.kind)
    }),
  )
})
