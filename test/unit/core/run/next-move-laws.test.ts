import fc from 'fast-check'
import { expect, it } from 'vitest'
import { GATE_STATUSES } from '#core/gate/types.ts'
import {
  isWaitOver,
  type Move,
  type MoveOutcome,
  nextMove,
  type RunKnown,
  type RunPosition,
} from '#core/run/next-move.ts'
import { TERMINAL_STATUSES } from '#core/run/status.ts'

const GATE = { kind: 'parked', gate_id: 'gate_1', step: 'act' } as const
const DAY_MS = 86_400_000

const status = fc.constantFrom(...GATE_STATUSES)
const ms = fc.constantFrom(0, 1, 15_000, 15_001, 3_600_000, 3_600_001, DAY_MS)
const known: fc.Arbitrary<RunKnown> = fc.record({
  cancelled: fc.boolean(),
  woken: fc.boolean(),
  idle: fc.boolean(),
  ended: fc.oneof(
    fc.constant(new Map()),
    status.map((each) => new Map([['gate_1', each]])),
  ),
  history: fc.record({
    length: fc.constantFrom(1, 199, 200, 1_999, 2_000),
    suggested: fc.boolean(),
    limit: fc.constantFrom(20, Number.POSITIVE_INFINITY),
  }),
})
const refused = fc.constant<MoveOutcome>({ kind: 'refused' })
const outcomes: Record<Exclude<Move['do'], 'continue_as_new' | 'give_up' | 'end'>, fc.Arbitrary<MoveOutcome>> = {
  advance: fc.oneof(
    fc.constantFrom<MoveOutcome>(
      { kind: 'yielded' },
      { kind: 'stopped' },
      { kind: 'cancelling' },
      { kind: 'unknown_run' },
      { kind: 'no_answer' },
      { kind: 'failed', failure: 'lost' },
    ),
    fc.constantFrom(...TERMINAL_STATUSES).map((each): MoveOutcome => ({ kind: 'closed', status: each })),
    fc.constant<MoveOutcome>(GATE),
    ms.map((delay_ms): MoveOutcome => ({ kind: 'delayed', delay_ms, reason: 'halted' })),
  ),
  close: fc.oneof(
    refused,
    fc.constantFrom(...TERMINAL_STATUSES).map((each): MoveOutcome => ({ kind: 'closed', status: each })),
  ),
  read_gate: fc.oneof(
    refused,
    fc.tuple(status, ms).map(([each, remaining_ms]): MoveOutcome => ({ kind: 'read', status: each, remaining_ms })),
  ),
  read_delay: fc.oneof(
    refused,
    ms.map((remaining_ms): MoveOutcome => ({ kind: 'read', remaining_ms })),
  ),
  wait: fc.constant<MoveOutcome>({ kind: 'waited' }),
  pause: fc.constant<MoveOutcome>({ kind: 'paused' }),
}

interface Step {
  before: Move | undefined
  outcome: MoveOutcome
  known: RunKnown
  from: RunPosition
  move: Move
  position: RunPosition
}

/** Every step of a life in which each move comes to something that it may come to. */
function live(g: fc.GeneratorValue, local: boolean): Step[] {
  const steps: Step[] = []
  let from: RunPosition = { local, wait: null }
  let outcome: MoveOutcome = { kind: 'begun' }
  let before: Move | undefined
  while (steps.length < 40) {
    const sees = g(() => known)
    const { position, move } = nextMove(from, outcome, sees)
    steps.push({ before, outcome, known: sees, from, move, position })
    if (move.do === 'end' || move.do === 'give_up' || move.do === 'continue_as_new') break
    outcome = g(() => outcomes[move.do])
    from = position
    before = move
  }
  return steps
}

const holds = (law: (step: Step) => void) =>
  fc.assert(
    fc.property(fc.gen(), fc.boolean(), (g, local) => {
      for (const step of live(g, local)) law(step)
    }),
  )

it('no execution begins in a run that is known to be cancelled', () => {
  holds(({ known: { cancelled }, move }) => expect(cancelled && move.do === 'advance').toBe(false))
})

it('a run ends only as the record has said', () => {
  holds(({ outcome, known, move }) => {
    if (move.do !== 'end') return
    const said = outcome.kind === 'closed' ? outcome.status : known.ended.get('gate_1')
    expect(move.status).toBe(said)
    expect(['open', 'approved']).not.toContain(move.status)
  })
})

it('each wait for a gate, or for a delay on record, begins with what the record says', () => {
  holds(({ before, outcome, move }) => {
    if (move.do === 'wait') expect(before?.do === 'advance' ? outcome.kind : before?.do).toMatch(/^(delayed|read_.*)$/)
  })
})

it('a wait has an end, and is asked about again within the hour', () => {
  holds(({ move }) => {
    if (move.do === 'wait') expect(move.for_ms > 0 && move.for_ms <= 3_600_000).toBe(true)
  })
})

it('only a wait is left under way, and nothing but a wait is left for a new execution while somebody is answered', () => {
  holds(({ position, move, known: { idle, woken }, outcome }) => {
    expect(position.wait !== null && !['wait', 'read_gate', 'read_delay', 'continue_as_new'].includes(move.do)).toBe(
      false,
    )
    if (move.do === 'continue_as_new' && position.wait !== null)
      expect([idle, woken, outcome.kind]).toEqual([true, false, 'waited'])
  })
})

it('what comes to nothing is followed by a pause, and a pause by something else', () => {
  holds(({ outcome, move }) => {
    if (outcome.kind === 'refused' || outcome.kind === 'no_answer') expect(move.do).toBe('pause')
    if (outcome.kind === 'paused') expect(move.do).not.toBe('pause')
  })
})

it('a local execution follows a hint, and uses it up', () => {
  holds(({ from, position, move }) => {
    if (move.do !== 'advance') return
    expect(move.local).toBe(from.local)
    expect(position.local).toBe(false)
  })
})

it('no execution after another is local, so none after a decision', () => {
  holds(({ outcome, move }) => {
    if (move.do === 'advance' && outcome.kind !== 'begun') expect(move.local).toBe(false)
  })
})

it('a wait ends before its time when the run is woken', () => {
  holds(({ position, known: sees }) => {
    expect(isWaitOver(position, { ...sees, woken: true })).toBe(true)
  })
})
