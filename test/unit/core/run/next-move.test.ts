import { describe, expect, it } from 'vitest'
import type { GateStatus } from '#core/gate/types.ts'
import { type Move, type MoveOutcome, nextMove, type RunKnown, type RunPosition } from '#core/run/next-move.ts'

const AT_START: RunPosition = { local: false, wait: null }
const HISTORY = { length: 10, suggested: false, limit: Number.POSITIVE_INFINITY }
const NOTHING: RunKnown = { cancelled: false, woken: false, idle: true, ended: new Map(), history: HISTORY }
const GATE = { kind: 'parked', gate_id: 'gate_1', step: 'act' } as const
const DAY_MS = 86_400_000

const ended = (status: GateStatus): RunKnown => ({ ...NOTHING, ended: new Map([['gate_1', status]]) })
const events = (length: number): RunKnown => ({ ...NOTHING, history: { ...HISTORY, length } })

type Happening = MoveOutcome | [MoveOutcome, RunKnown]

/** The moves that these outcomes lead to, one after the other. */
function movesAfter(happenings: Happening[], from = AT_START): Move[] {
  let position = from
  return happenings.map((each) => {
    const [outcome, known] = Array.isArray(each) ? each : [each, NOTHING]
    const next = nextMove(position, outcome, known)
    position = next.position
    return next.move
  })
}

const lastMove = (...happenings: Happening[]) => movesAfter(happenings).at(-1)

describe('executions', () => {
  it.each([{ kind: 'begun' }, { kind: 'yielded' }, { kind: 'stopped' }, { kind: 'paused' }] as const)(
    'one follows when a run has $kind',
    (outcome) => {
      expect(lastMove(outcome)).toEqual({ do: 'advance', local: false })
    },
  )

  it('are local once for each hint', () => {
    const local: RunPosition = { local: true, wait: null }
    expect(movesAfter([{ kind: 'begun' }, { kind: 'yielded' }], local)).toEqual([
      { do: 'advance', local: true },
      { do: 'advance', local: false },
    ])
  })

  it.each([
    [
      { kind: 'closed', status: 'succeeded' },
      { do: 'end', status: 'succeeded' },
    ],
    [{ kind: 'cancelling' }, { do: 'close', failure: null }],
    [
      { kind: 'failed', failure: 'lost' },
      { do: 'close', failure: 'lost' },
    ],
    [{ kind: 'unknown_run' }, { do: 'give_up' }],
    [{ kind: 'no_answer' }, { do: 'pause' }],
    [{ kind: 'refused' }, { do: 'pause' }],
  ] as const)('%j leads to %j', (outcome, move) => {
    expect(lastMove(outcome)).toEqual(move)
  })

  it('none begins in a run that was told to stop', () => {
    expect(lastMove([{ kind: 'yielded' }, { ...NOTHING, cancelled: true }])).toEqual({ do: 'close', failure: null })
  })

  it('go on in a new execution before the history is too long', () => {
    expect(lastMove([{ kind: 'yielded' }, events(1_999)])).toEqual({ do: 'advance', local: false })
    expect(lastMove([{ kind: 'yielded' }, events(2_000)])).toEqual({ do: 'continue_as_new' })
    const suggested = { ...NOTHING, history: { ...HISTORY, suggested: true } }
    expect(lastMove([{ kind: 'yielded' }, suggested])).toEqual({ do: 'continue_as_new' })
    const limited = (length: number) => ({ ...NOTHING, history: { ...HISTORY, length, limit: 0 } })
    expect(lastMove([{ kind: 'yielded' }, limited(19)])).toEqual({ do: 'advance', local: false })
    expect(lastMove([{ kind: 'yielded' }, limited(20)])).toEqual({ do: 'continue_as_new' })
  })
})

describe('the wait for a gate', () => {
  const open = { kind: 'read', status: 'open', remaining_ms: 5_000 } as const

  it('asks the record, waits as long as it says, and asks again', () => {
    expect(movesAfter([GATE, open, { kind: 'waited' }])).toEqual([
      { do: 'read_gate', gate_id: 'gate_1' },
      { do: 'wait', for_ms: 5_000, summary: 'approval of act' },
      { do: 'read_gate', gate_id: 'gate_1' },
    ])
  })

  it('of a gate that is due and still open is no busy loop', () => {
    expect(lastMove(GATE, { ...open, remaining_ms: 0 })).toMatchObject({ do: 'wait', for_ms: 1 })
  })

  it('is an hour at most before the record is asked again', () => {
    expect(lastMove(GATE, { ...open, remaining_ms: DAY_MS })).toMatchObject({ do: 'wait', for_ms: 3_600_000 })
  })

  it('asks nothing of a gate that has ended in this execution', () => {
    expect(lastMove(GATE, open, [{ kind: 'waited' }, ended('rejected')])).toEqual({ do: 'end', status: 'rejected' })
  })

  it.each([
    ['approved', { do: 'advance', local: false }],
    ['rejected', { do: 'end', status: 'rejected' }],
    ['expired', { do: 'end', status: 'expired' }],
    ['cancelled', { do: 'end', status: 'cancelled' }],
  ] as const)('ends with what the record says: %s', (status, move) => {
    expect(lastMove(GATE, [{ kind: 'read', status, remaining_ms: 0 }, ended(status)])).toEqual(move)
  })

  it('of a run that was told to stop is left to the record, whatever became of the gate', () => {
    const known = { ...ended('expired'), cancelled: true }
    expect(lastMove(GATE, open, [{ kind: 'waited' }, known])).toEqual({ do: 'close', failure: null })
  })

  it('goes on in a new execution, a long one sooner, and only while nobody waits for an answer', () => {
    const waited = (remaining_ms: number, known: RunKnown) =>
      lastMove(GATE, { ...open, remaining_ms }, [{ kind: 'waited' }, known])?.do
    expect(waited(DAY_MS, events(199))).toBe('read_gate')
    expect(waited(DAY_MS, events(200))).toBe('continue_as_new')
    expect(waited(60_000, events(200))).toBe('read_gate')
    expect(waited(60_000, events(2_000))).toBe('continue_as_new')
    expect(waited(10_000, events(2_000))).toBe('read_gate')
    expect(waited(DAY_MS, { ...events(200), idle: false })).toBe('read_gate')
    expect(waited(DAY_MS, { ...events(200), woken: true })).toBe('read_gate')
  })
})

describe('a delay', () => {
  const delayed = (delay_ms: number): MoveOutcome => ({ kind: 'delayed', delay_ms, reason: 'the second try of act' })
  const read = (remaining_ms: number): MoveOutcome => ({ kind: 'read', remaining_ms })

  it('of seconds is waited out as the execution said', () => {
    expect(movesAfter([delayed(15_000), { kind: 'waited' }])).toEqual([
      { do: 'wait', for_ms: 15_000, summary: 'the second try of act' },
      { do: 'advance', local: false },
    ])
  })

  it('that is longer stands on record, and is over when the record says so', () => {
    expect(movesAfter([delayed(15_001), read(4_000), { kind: 'waited' }, read(0)])).toEqual([
      { do: 'read_delay' },
      { do: 'wait', for_ms: 4_000, summary: 'the second try of act' },
      { do: 'read_delay' },
      { do: 'advance', local: false },
    ])
  })

  it.each([
    ['none', [delayed(0)]],
    ['one that the record does not know', [delayed(DAY_MS), read(0)]],
  ])('that is %s leads to a pause', (_, happenings) => {
    expect(lastMove(...happenings)).toEqual({ do: 'pause' })
  })

  it.each([1, DAY_MS])('of %i ms is not waited for by a run that was told to stop', (delay_ms) => {
    const known = { ...NOTHING, cancelled: true }
    expect(lastMove([delayed(delay_ms), known])).toEqual({ do: 'close', failure: null })
  })
})
