import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import type { GateOutcome, GateSignal, ParkedGate } from '#core/contract.ts'
import { DomainError } from '#core/errors.ts'
import { closes, gateOf, parks, runsUntilCancelled, type Settled } from '#test/support/scripted-activities.ts'
import {
  cancelOf,
  commandOf,
  EVENT,
  type ScriptedRun,
  type ScriptedRuns,
  startScriptedRuns,
} from '#test/support/scripted-runs.ts'

const ENDS: Record<string, string> = { approved: 'succeeded', rejected: 'rejected', expired: 'expired' }
const REFUSED = ['gate_resolved', 'run_not_awaiting', 'run_terminal', 'conflict']

let runs: ScriptedRuns

beforeAll(async () => {
  runs = await startScriptedRuns(inject('temporal_address'))
})
afterAll(() => runs.stop())

describe('one gate', () => {
  test('of fifty racing approvals, rejections, dismissals, cancellations and signals exactly one is recorded', async () => {
    const rounds = Array.from({ length: 6 }, (_, round) => round)
    for (const round of rounds) {
      const run = await runs.start(`race-${round}`, [parks(), closes])
      await run.parked()
      const doors = Array.from({ length: 5 }, () => runs.openDoor())
      const decisions: Promise<GateOutcome | string>[] = []
      const others: Promise<unknown>[] = []
      for (let hand = 0; hand < 50; hand += 1) {
        const n = (hand + round * 11) % 50
        const door = doors[hand % doors.length] ?? runs.openDoor()
        const decide = (kind: 'approve' | 'reject' | 'dismiss') =>
          decisions.push(answerOf(door.decide(run.run_id, commandOf(run.run_id, kind, `usr_${n}`))))
        if (n % 10 === 7) others.push(answerOf(door.cancel(run.run_id, cancelOf(run.run_id, `usr_${n}`))))
        else if (n % 10 === 3) others.push(run.signal({ decision: n % 4 === 3 ? 'approve' : 'reject' }).catch(isOver))
        else if (n % 10 === 5) decide('dismiss')
        else decide(n % 2 === 0 ? 'approve' : 'reject')
      }
      const answers = await Promise.all(decisions)
      await Promise.all(others)
      const { status } = await run.result()
      const won = resolutionOf(run)
      expect(answers.filter((answer) => typeof answer === 'string' && !REFUSED.includes(answer))).toEqual([])
      const winners = answers.filter((answer) => typeof answer !== 'string')
      // a signal or a cancellation may have won: both are told nothing
      expect(winners.length).toBeLessThanOrEqual(1)
      for (const winner of winners)
        expect(winner).toMatchObject({ status: won.resolution, resolved_by: won.command?.by })
      // a cancellation that came after the approval still stops the run
      expect([ENDS[won.resolution ?? ''], 'cancelled']).toContain(status)
    }
  })

  test('a decision in the instant of the TTL: one resolution each, and the answer agrees with it', async () => {
    const raced = await Promise.all(
      Array.from({ length: 100 }, async (_, n) => {
        const parked = deferred<ParkedGate>()
        const run = await runs.start(`ttl-${n}`, [parks({ ttl_ms: 50, onParked: parked.resolve }), closes])
        const { expires_at } = await parked.promise
        const kind = n % 2 === 0 ? 'approve' : 'reject'
        // aims at the deadline itself, from 20 ms before it to 20 ms after
        await until(Date.parse(expires_at) - 20 + (n % 41))
        const answer = await answerOf(run.decide(kind))
        return { run, answer, status: (await run.result()).status }
      }),
    )
    for (const { run, answer, status } of raced) {
      const won = resolutionOf(run)
      expect(status).toBe(ENDS[won.resolution ?? ''])
      if (typeof answer === 'string') {
        expect(REFUSED).toContain(answer)
        expect(won).toMatchObject({ resolution: 'expired', cause: 'ttl', command: null })
      } else {
        expect(won.command?.decision_id).toBe(
          commandOf(run.run_id, won.command?.kind ?? 'approve', 'usr_1').decision_id,
        )
        expect(answer).toMatchObject({ status: won.resolution, resolved_by: 'usr_1' })
      }
    }
  })
})

describe('a signal that comes before the run has heard of its gate', () => {
  /** The gate is on record and can be read; the leg that opened it has not reported. */
  const signalledEarly = async (name: string, signal: GateSignal, opens_in_ms = 0) => {
    const started = deferred<ScriptedRun>()
    const onParked = async () => (await started.promise).signal(signal)
    const run = await runs.start(name, [parks({ opens_in_ms, onParked }), closes])
    started.resolve(run)
    return run
  }

  test.each(['approve', 'reject'] as const)('decides the gate that could be seen: %s', async (decision) => {
    const run = await signalledEarly(`early-${decision}`, { decision })
    expect((await run.result()).status).toBe(decision === 'approve' ? 'succeeded' : 'rejected')
    expect(resolutionOf(run).command).toMatchObject({ channel: 'temporal', kind: decision })
  })

  test('decides nothing when the gate could not be seen yet; the attempt is on record and the gate stays open', async () => {
    const run = await signalledEarly('too-early', { decision: 'approve' }, 60_000)
    await runs.activities.settled(run.gate_id)
    expect(runs.activities.settlements(run.gate_id)).toMatchObject([
      { resolution: null, refused: 'run_not_awaiting', command: { channel: 'temporal', kind: 'approve' } },
    ])
    await run.decide('approve')
    expect(await run.result()).toEqual({ status: 'succeeded' })
  })

  test('decides a gate that it names, whatever the clocks say', async () => {
    const run = await signalledEarly('named', { decision: 'approve', gate_id: gateOf('named') }, 60_000)
    expect(await run.result()).toEqual({ status: 'succeeded' })
  })

  test('is forgotten when the run ends without a gate', async () => {
    const signalled = deferred<void>()
    const run = await runs.start('gateless', [(leg) => signalled.promise.then(() => closes(leg))])
    await run.signal({ decision: 'approve' })
    signalled.resolve()
    expect(await run.result()).toEqual({ status: 'succeeded' })
  })

  test('after another gate says nothing about the next one unless it names it', async () => {
    const second = gateOf('twice', 'second')
    const run: ScriptedRun = await runs.start('twice', [
      parks(),
      parks({ gate: 'second', onParked: () => run.signal({ decision: 'approve' }) }),
      closes,
    ])
    await run.parked()
    await run.decide('approve')
    await runs.activities.settled(second)
    expect(runs.activities.settlements(second)).toMatchObject([{ resolution: null, refused: 'run_not_awaiting' }])
    await run.signal({ decision: 'approve', gate_id: second })
    expect(await run.result()).toEqual({ status: 'succeeded' })
  })
})

describe('a refused decision', () => {
  test('leaves no event in the history, while the run acts on what was decided', async () => {
    const run = await runs.start('refused', [parks(), runsUntilCancelled])
    await run.parked()
    await run.decide('approve')
    await run.underWay()
    const before = (await run.events()).length
    const late = ['usr_2', 'usr_3', 'usr_4'].map((by) => answerOf(run.decide('reject', by)))
    expect(await Promise.all(late)).toEqual(['gate_resolved', 'gate_resolved', 'gate_resolved'])
    expect(await run.events()).toHaveLength(before)
    await run.cancel()
    expect(await run.result()).toEqual({ status: 'cancelled' })
  })

  test('of a gate that waits leaves no event either', async () => {
    const run = await runs.start('second-vote', [parks({ approvals: 2 }), closes])
    await run.parked()
    expect(await run.decide('approve', 'usr_1')).toMatchObject({ status: 'open', approvals: { have: 1, need: 2 } })
    const again = { ...commandOf(run.run_id, 'approve', 'usr_1'), decision_id: 'again' }
    const other = { ...commandOf(run.run_id, 'approve', 'usr_2'), gate_id: 'gate_other' }
    expect(await answerOf(runs.openDoor().decide(run.run_id, again))).toBe('conflict')
    expect(await answerOf(runs.openDoor().decide(run.run_id, other))).toBe('gate_resolved')
    const accepted = (await run.events()).filter((event) => event.eventType === EVENT.UPDATE_ACCEPTED)
    expect(accepted).toHaveLength(1)
    await run.decide('approve', 'usr_2')
    expect(await run.result()).toEqual({ status: 'succeeded' })
  })

  test('comes from a run that has ended as well', async () => {
    const run = await runs.start('ended', [closes])
    await run.result()
    expect(await answerOf(run.decide('approve'))).toBe('gate_resolved')
    expect(await answerOf(run.cancel())).toBe('run_terminal')
  })
})

describe('the record of a decision', () => {
  test.each(['fails', 'hangs'] as const)('is made on the ledger queue when the near way %s', async (how) => {
    const run = await runs.start(`near-${how}`, [parks()])
    runs.activities.closeNear(run.run_id, how)
    await run.parked()
    expect(await run.decide('reject')).toMatchObject({ status: 'rejected', resolved_by: 'usr_1' })
    expect(await run.result()).toEqual({ status: 'rejected' })
    expect(resolutionOf(run)).toMatchObject({ resolution: 'rejected', way: 'ledger' })
  })

  test.each([
    { decided: 'reject', recorded: 'approved', ends: 'succeeded' },
    { decided: 'dismiss', recorded: 'rejected', ends: 'rejected' },
    { decided: 'approve', recorded: 'cancelled', ends: 'cancelled' },
    { decided: 'cancel', recorded: 'rejected', ends: 'rejected' },
  ] as const)(
    'is obeyed: $recorded stands although the workflow took $decided',
    async ({ decided, recorded, ends }) => {
      const run = await runs.start(`before-${decided}`, [parks(), closes])
      await run.parked()
      runs.activities.resolve(run.gate_id, recorded)
      if (decided === 'cancel') await run.cancel()
      else await run.decide(decided)
      expect(await run.result()).toEqual({ status: ends })
    },
  )

  test('is obeyed when the TTL fires after the gate was approved on record', async () => {
    const parked = deferred<ParkedGate>()
    const run = await runs.start('before-ttl', [parks({ ttl_ms: 300, onParked: parked.resolve }), closes])
    runs.activities.resolve((await parked.promise).gate_id, 'approved')
    expect(await run.result()).toEqual({ status: 'succeeded' })
  })
})

describe('a cancellation in Temporal itself', () => {
  test('stops the leg under way, and the run ends as cancelled', async () => {
    const run = await runs.start('outside', [runsUntilCancelled])
    await run.underWay()
    await run.handle.cancel()
    expect(await run.result()).toEqual({ status: 'cancelled' })
  })
})

/** The outcome, or the code of the refusal. */
async function answerOf<Outcome>(decision: Promise<Outcome>): Promise<Outcome | string> {
  try {
    return await decision
  } catch (error) {
    if (error instanceof DomainError) return error.code
    throw error
  }
}

/** The one resolution of the gate: the first on record. */
function resolutionOf(run: ScriptedRun): Settled {
  const [first] = runs.activities.settlements(run.gate_id).filter((each) => each.resolution !== null)
  if (first === undefined) throw new Error(`${run.run_id} has no resolution`)
  return first
}

function isOver(error: unknown): void {
  if (!(error instanceof Error) || error.name !== 'WorkflowNotFoundError') throw error
}

function deferred<Value>() {
  let resolve: (value: Value) => void = () => undefined
  const promise = new Promise<Value>((done) => {
    resolve = done
  })
  return { promise, resolve: (value: Value) => resolve(value) }
}

const until = (time_ms: number) => new Promise((resolve) => setTimeout(resolve, Math.max(0, time_ms - Date.now())))
