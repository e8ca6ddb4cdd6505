import { describe, expect, test } from 'vitest'
import { isResultOf } from '#core/activity-results.ts'

const TEXT = 'x'.repeat(101)
const TIME = '2026-01-01T00:00:00.000Z'

describe('the result of an execution', () => {
  test.each([
    { kind: 'parked', gate_id: 'gate_1', step: 'act' },
    { kind: 'delayed', delay_ms: 0, reason: 'workspace limit' },
    { kind: 'closed', status: 'succeeded' },
    { kind: 'yielded' },
    { kind: 'stopped' },
    { kind: 'cancelling' },
  ])('is one: %j', (result) => expect(isResultOf.advanceRun(result)).toBe(true))

  test.each([
    ...[null, undefined, 42, 'closed', [], {}, { kind: 'forged' }, { kind: 'closed', status: 'approved' }],
    ...[
      { kind: 'parked', gate_id: 7, step: 'act' },
      { kind: 'parked', gate_id: 'gate_1', step: TEXT },
    ],
    ...[
      { kind: 'parked', gate_id: 'gate_1', step: 'a\nb' },
      { kind: 'parked', gate_id: '', step: 'act' },
    ],
    ...['soon', -1, Number.NaN, Number.POSITIVE_INFINITY].map((delay_ms) => ({
      kind: 'delayed',
      delay_ms,
      reason: '',
    })),
  ])('is none: %j', (result) => expect(isResultOf.advanceRun(result)).toBe(false))
})

describe('the result of a record', () => {
  const genuine = {
    recordDecision: [{ refused: 'conflict' }, { gate_id: 'gate_1', status: 'open', resolved: false }],
    expireGate: [{ status: 'open', remaining_ms: 10 }],
    readDelay: [{ remaining_ms: 0 }],
    recordCancel: [{ status: 'cancelling' }, { refused: 'validation_failed' }],
    closeRun: [{ status: 'failed' }],
    fireSchedule: [
      { kind: 'done', outcome: 'started', run_id: 'run_1' },
      { kind: 'wait' },
      { kind: 'wait', look_ms: 500 },
    ],
    planNotices: [
      {
        open: true,
        notices: [{ notice_id: 1, kind: 'opened', channel: 'mail' }],
        next_at: TIME,
        expires_at: TIME,
        ends_at: TIME,
      },
      { open: false, notices: [], now: TIME, next_at: null, expires_at: TIME, ends_at: TIME },
    ],
  }
  const forged = [null, 'approved', [], { status: 'forged', remaining_ms: 'soon', resolved: 'yes', refused: null }]

  test.each(Object.entries(genuine) as [keyof typeof genuine, unknown[]][])('is told apart: %s', (name, results) => {
    expect(results.map(isResultOf[name])).toEqual(results.map(() => true))
    expect(forged.map(isResultOf[name])).toEqual(forged.map(() => false))
  })

  test('is told apart: planEnd', () => {
    expect([[], [{ notice_id: 1, kind: 'ended', channel: 'mail' }]].map(isResultOf.planEnd)).toEqual([true, true])
    const opened = [{ notice_id: 1, kind: 'opened', channel: 'mail' }]
    expect([null, 'ended', {}, [null], opened].map(isResultOf.planEnd)).toEqual(Array(5).fill(false))
  })
})
