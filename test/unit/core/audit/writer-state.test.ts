import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { disturbedLog } from '#core/audit/problem.ts'
import {
  follower,
  isHealthy,
  mayLead,
  nextWriter,
  type WriterEvent,
  type WriterState,
} from '#core/audit/writer-state.ts'

type Event = WriterEvent<string>
const problem = disturbedLog(7, 'it was cut')
const sink = fc.constantFrom('one', 'two')
const now = fc.integer({ min: 0, max: 100_000 })
const event: fc.Arbitrary<Event> = fc.oneof(
  fc.record({ type: fc.constant('leads' as const), sink, seq: fc.nat(100) }),
  fc.record({ type: fc.constant('lost' as const), sink }),
  fc.record({ type: fc.constant('marked' as const), seq: fc.nat(100) }),
  fc.record({ type: fc.constant('refused' as const), problem: fc.constant(problem), now }),
  fc.record({ type: fc.constant('unnoted' as const), problem: fc.constant(problem) }),
  fc.constantFrom<Event>({ type: 'follows' }, { type: 'failed' }, { type: 'settled' }, { type: 'noted' }),
)

/** Calls for each event of a random sequence with the states before and after it. */
function always(check: (before: WriterState<string>, event: Event, after: WriterState<string>) => void): void {
  fc.assert(
    fc.property(fc.array(event, { maxLength: 30 }), (events) => {
      let state = follower<string>()
      for (const each of events) {
        const after = nextWriter(state, each)
        check(state, each, after)
        state = after
      }
    }),
    { numRuns: 500 },
  )
}

describe('the writer of the chain', () => {
  test('leads only by opening the log, and then has nothing left to settle', () => {
    always((before, { type }, after) => {
      if (after.leadership.is === 'leading' && before.leadership.is !== 'leading') expect(type).toBe('leads')
      if (type === 'leads') expect(after).toMatchObject({ leadership: { is: 'leading' }, failing: false })
    })
  })

  test('follows once it has lost the log that it writes, and not because of one that it wrote before', () => {
    always((before, event, after) => {
      if (event.type !== 'lost' || before.leadership.is !== 'leading') return
      expect(after.leadership.is).toBe(before.leadership.sink === event.sink ? 'following' : 'leading')
    })
  })

  test('stays refused until the log was opened, or another process leads', () => {
    always((before, { type }, after) => {
      if (before.leadership.is !== 'refused' || after.leadership.is === 'refused') return
      expect(['leads', 'follows']).toContain(type)
    })
  })

  test('never takes back how far its records are marked while it leads', () => {
    always((before, { type }, after) => {
      if (before.leadership.is !== 'leading' || after.leadership.is !== 'leading' || type === 'leads') return
      expect(after.leadership.marked_to).toBeGreaterThanOrEqual(before.leadership.marked_to)
    })
  })

  test('keeps what the database could not be told of until it was told', () => {
    always((before, { type }, after) => {
      if (before.unnoted !== undefined && after.unnoted === undefined) expect(type).toBe('noted')
    })
  })

  test('is not well while a write has failed or the log is refused, nor with a sink that does not work', () => {
    always((_before, _event, after) => {
      const leads = after.leadership.is === 'leading'
      expect(isHealthy(after, () => true)).toBe(after.leadership.is === 'following' || (leads && !after.failing))
      if (leads) expect(isHealthy(after, () => false)).toBe(false)
    })
  })

  test('looks again at once at what went wrong under it, then after one second, doubled up to fifteen', () => {
    const refuse = (state: WriterState<string>, at: number) => nextWriter(state, { type: 'refused', problem, now: at })
    let state = refuse(nextWriter(follower<string>(), { type: 'leads', sink: 'one', seq: 1 }), 50)
    expect(mayLead(state, 50)).toBe(true)
    const waits = [2_000, 4_000, 8_000, 15_000, 15_000].map((wait) => {
      state = refuse(state, 1_000)
      return [mayLead(state, 999 + wait), mayLead(state, 1_000 + wait)]
    })
    expect(waits).toEqual(waits.map(() => [false, true]))
    const first = refuse(follower<string>(), 0)
    expect([mayLead(first, 999), mayLead(first, 1_000)]).toEqual([false, true])
  })
})
