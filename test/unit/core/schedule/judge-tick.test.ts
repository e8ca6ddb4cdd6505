import { expect, test } from 'vitest'
import { parseCron } from '#core/schedule/cron.ts'
import { judgeTick, type Tick } from '#core/schedule/judge-tick.ts'

const { cron } = parseCron('*/10 * * * *')
if (cron === undefined) throw new Error('not a cron')
const RULE = { cron, timezone: 'UTC', days: 'and', dst: { gap: 'run_at_end', fold: 'first' } } as const
const NOMINAL = Date.parse('2026-01-01T00:10:00Z')
const MINUTE = 60_000

const judge = (changes: Partial<Tick>) =>
  judgeTick(RULE, {
    nominal: NOMINAL,
    now: NOMINAL,
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
  ['not a time of the schedule', { nominal: NOMINAL + MINUTE }, 'none'],
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
  expect(verdict.kind === 'refuse' ? verdict.reason : verdict.kind).toBe(expected)
})
