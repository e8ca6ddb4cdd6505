import { describe, expect, inject, test } from 'vitest'
import type { GateOutcome, GateSignal } from '#core/contract.ts'
import { DomainError } from '#core/errors.ts'
import type { TerminalStatus } from '#core/run/status.ts'
import { poll } from '#platform/embedded/processes.ts'
import { fileFixture } from '#test/support/file-fixture.ts'
import { PATIENCE } from '#test/support/patience.ts'
import {
  breaks,
  closes,
  delays,
  type Execution,
  parks,
  runsUntilCancelled,
  type ScriptedGate,
  type Written,
  yields,
} from '#test/support/scripted-activities.ts'
import {
  cancelOf,
  claimOf,
  commandOf,
  EVENT,
  type ScriptedRun,
  startScriptedRuns,
} from '#test/support/scripted-runs.ts'

const closesAs =
  (status: TerminalStatus): Execution =>
  () => ({ kind: 'closed', status })

const ENDS: Record<string, string> = { approved: 'succeeded', rejected: 'rejected', expired: 'expired' }
const REFUSED = ['gate_resolved', 'run_not_awaiting', 'run_terminal', 'conflict']

const runs = fileFixture(() => startScriptedRuns(inject('temporal_address')))

describe('one gate', () => {
  test('of fifty racing approvals, rejections, dismissals, cancellations and signals exactly one is recorded', async () => {
    const rounds = Array.from({ length: 6 }, (_, round) => round)
    for (const round of rounds) {
      const run = await runs.start(`race-${round}`, [parks(), closes])
      await run.parked()
      const engines = Array.from({ length: 5 }, () => runs.openEngine())
      const decisions: Promise<GateOutcome | string>[] = []
      const others: Promise<unknown>[] = []
      for (let hand = 0; hand < 50; hand += 1) {
        const n = (hand + round * 11) % 50
        const engine = engines[hand % engines.length] ?? runs.openEngine()
        const decide = (kind: 'approve' | 'reject' | 'dismiss') =>
          decisions.push(answerOf(engine.decide(run.run_id, commandOf(run.run_id, kind, `usr_${n}`))))
        if (n % 10 === 7) others.push(answerOf(engine.cancel(run.run_id, cancelOf(run.run_id, `usr_${n}`))))
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
    const race = async (n: number) => {
      const parked = deferred<ScriptedGate>()
      const run = await runs.start(`ttl-${n}`, [parks({ ttl_ms: 50, onParked: parked.resolve }), closes])
      const { until_ms } = await parked.promise
      const kind = n % 2 === 0 ? 'approve' : 'reject'
      // aims at the deadline itself, from 20 ms before it to 20 ms after
      await until(until_ms - 20 + (n % 41))
      const answer = await answerOf(run.decide(kind))
      return { run, answer, status: (await run.result()).status }
    }
    // all at once they would wait for the engine longer than a decision does
    const raced = []
    for (let first = 0; first < 100; first += 10)
      raced.push(...(await Promise.all(Array.from({ length: 10 }, (_, n) => race(first + n)))))
    for (const { run, answer, status } of raced) {
      const won = resolutionOf(run)
      expect(status).toBe(ENDS[won.resolution ?? ''])
      if (typeof answer === 'string') {
        expect(REFUSED).toContain(answer)
        expect(won).toMatchObject({ resolution: 'expired', command: null })
      } else {
        expect(won.decision_id).toBe(`${run.gate_id}/${won.command?.kind}/usr_1`)
        expect(answer).toMatchObject({ status: won.resolution, resolved_by: 'usr_1' })
      }
    }
  })
})

describe('a signal that comes before the run has heard of its gate', () => {
  /** The gate is on record and can be read; the execution that opened it reports when the signal has been served. */
  const signalledEarly = async (name: string, signal: GateSignal) => {
    const started = deferred<ScriptedRun>()
    const onParked = async () => {
      const run = await started.promise
      await run.signal(signal)
      await run.decided()
    }
    const run = await runs.start(name, [parks({ onParked }), closes])
    started.resolve(run)
    return run
  }

  test.each(['approve', 'reject'] as const)('decides the gate that could be seen: %s', async (decision) => {
    const run = await signalledEarly(`early-${decision}`, { decision })
    expect((await run.result()).status).toBe(decision === 'approve' ? 'succeeded' : 'rejected')
    expect(resolutionOf(run).command).toMatchObject({ channel: 'temporal', kind: decision })
  })

  test('is refused where there is no gate, and the run goes on', async () => {
    const signalled = deferred<void>()
    const run = await runs.start('gateless', [(execution) => signalled.promise.then(() => closes(execution))])
    await run.signal({ decision: 'approve' })
    await runs.activities.untilRefused(run.run_id)
    signalled.resolve()
    expect(await run.result()).toEqual({ status: 'succeeded' })
  })
})

describe('a run whose history may not grow', () => {
  test('goes on in new executions while it waits for a workspace, a delay and a gate, and loses no decision', async () => {
    const gates = [deferred<ScriptedGate>(), deferred<ScriptedGate>()]
    const waits: Execution[] = Array.from({ length: 6 }, () => delays)
    const run = await runs.startShort('short', [
      ...waits,
      parks({ approvals: 3, gate: 'one', onParked: gates[0]?.resolve ?? (() => undefined) }),
      ...waits,
      parks({ gate: 'two', onParked: gates[1]?.resolve ?? (() => undefined) }),
      closes,
    ])
    const { gate_id } = (await gates[0]?.promise) ?? { gate_id: '' }
    // each attempt that is refused makes the history longer, while the others are under way
    const decisionsOf = Array.from({ length: 5 }, (_, n) => [
      answerOf(runs.openEngine().decide(run.run_id, { ...commandOf(run.run_id, 'approve', `usr_${n}`), gate_id })),
      answerOf(run.decide('approve', `usr_${n}`, `gate_of_nobody_${n}`)),
    ])
    const answers = (await Promise.all(decisionsOf.flat())).filter((answer) => typeof answer !== 'string')
    // three votes count, and each of the three is told so, whichever execution it met
    expect(answers.map((answer) => answer.resolved).sort()).toEqual([false, false, true])
    const second = (await gates[1]?.promise)?.gate_id ?? ''
    await run.signal({ decision: 'approve', gate_id: second })
    expect(await run.result()).toEqual({ status: 'succeeded' })
    expect(await run.executions()).toBeGreaterThan(4)
    expect(runs.activities.written(second)).toMatchObject([{ resolution: 'approved' }])
    // the engine repeats a task that a new execution overtook after its timeout of ten seconds
  })

  test('is cancelled in whichever execution the command meets', async () => {
    const run = await runs.startShort('short-cancelled', [...Array.from({ length: 5 }, () => delays), parks()])
    await run.parked()
    await run.cancel()
    expect(await run.result()).toEqual({ status: 'cancelled' })
  })
})

describe('a refused decision', () => {
  test('leaves no event in the history, while the run acts on what was decided', async () => {
    const run = await runs.start('refused', [parks(), runsUntilCancelled])
    await run.parked()
    await run.decide('approve')
    await run.underWay()
    const before = await reported(run)
    const late = ['usr_2', 'usr_3', 'usr_4'].map((by) => answerOf(run.decide('reject', by)))
    expect(await Promise.all(late)).toEqual(['gate_resolved', 'gate_resolved', 'gate_resolved'])
    expect(await reported(run)).toEqual(before)
    await run.cancel()
    expect(await run.result()).toEqual({ status: 'cancelled' })
  })

  test('of a gate that waits is answered by the record, and the gate stays open', async () => {
    const run = await runs.start('second-vote', [parks({ approvals: 2 }), closes])
    await run.parked()
    expect(await run.decide('approve', 'usr_1')).toMatchObject({ status: 'open', approvals: { have: 1, need: 2 } })
    const again = { ...commandOf(run.run_id, 'approve', 'usr_1'), decision_id: 'again' }
    const other = { ...commandOf(run.run_id, 'approve', 'usr_2'), gate_id: 'gate_other' }
    expect(await answerOf(runs.openEngine().decide(run.run_id, again))).toBe('conflict')
    expect(await answerOf(runs.openEngine().decide(run.run_id, other))).toBe('run_not_awaiting')
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

describe('a local execution', () => {
  test('that comes to the end is all there is of a run: one workflow task', async () => {
    const run = await runs.start('beside', [closes], { near: true })
    expect(await run.result()).toEqual({ status: 'succeeded' })
    expect(await run.events()).toHaveLength(6)
  })

  test.each([
    ['yields', yields],
    ['breaks', breaks],
  ] as const)('that %s is followed by one in the lane', async (name, first) => {
    const run = await runs.start(`beside-${name}`, [first, closes], { near: true })
    expect(await run.result()).toEqual({ status: 'succeeded' })
    expect(await scheduled(run)).toBe(1)
    expect(runs.activities.executions(run.run_id)).toBe(2)
  })

  test('is none after an approval, whose workflow task would keep it from the engine', async () => {
    const run = await runs.start('beside-after', [parks(), closes], { near: true })
    await run.parked()
    expect(await run.decide('approve')).toMatchObject({ status: 'approved' })
    expect(await run.result()).toEqual({ status: 'succeeded' })
    expect(await scheduled(run)).toBe(1)
  })

  test('keeps a decision waiting only until it ends', async () => {
    const decided = deferred<Promise<GateOutcome>>()
    const onParked = () => decided.resolve(runs.follow('beside-early').decide('approve'))
    const run = await runs.start('beside-early', [parks({ onParked }), closes], { near: true })
    expect(await await decided.promise).toMatchObject({ status: 'approved' })
    expect(await run.result()).toEqual({ status: 'succeeded' })
  })

  test('that does not end is given up, and whoever waits is answered', async () => {
    const run = await runs.start('beside-hangs', [runsUntilCancelled, runsUntilCancelled], { near: true })
    await poll(() => (runs.activities.executions(run.run_id) > 0 ? true : undefined), PATIENCE.timeout)
    await run.cancel()
    expect(await run.result()).toEqual({ status: 'cancelled' })
  })
})

describe('the record of a decision', () => {
  test.each(['fails', 'hangs'] as const)('is made on the ledger queue when the local activity %s', async (how) => {
    const run = await runs.start(`near-${how}`, [parks()])
    runs.activities.closeNear(run.run_id, how)
    await run.parked()
    expect(await run.decide('reject')).toMatchObject({ status: 'rejected', resolved_by: 'usr_1' })
    expect(await run.result()).toEqual({ status: 'rejected' })
    expect(resolutionOf(run)).toMatchObject({ resolution: 'rejected', way: 'ledger' })
  })

  test.each([
    { recorded: 'approved', ends: 'succeeded' },
    { recorded: 'rejected', ends: 'rejected' },
    { recorded: 'cancelled', ends: 'cancelled' },
  ] as const)('is obeyed: $recorded stands although the workflow heard only its timer', async ({ recorded, ends }) => {
    const parked = deferred<ScriptedGate>()
    const run = await runs.start(`before-${recorded}`, [parks({ ttl_ms: 300, onParked: parked.resolve }), closes])
    runs.activities.resolve((await parked.promise).gate_id, recorded)
    expect(await run.result()).toEqual({ status: ends })
  })

  test('has the only clock: a timer that fires early asks again', async () => {
    const run = await runs.start('early-timer', [parks({ ttl_ms: 20, late_ms: 4_000 }), closes])
    await run.parked()
    await run.decided()
    expect(resolutionsOf(run)).toEqual([])
    await run.decide('approve')
    expect(await run.result()).toEqual({ status: 'succeeded' })
  })
})

describe('a workflow that somebody else started', () => {
  test('ends without an execution when its input holds more than names', async () => {
    const forged = { ...claimOf('forged'), plan: { steps: [] } }
    const handle = await runs.client.workflow.start('runV2', {
      workflowId: 'forged',
      taskQueue: 'realtime',
      args: [forged],
    })
    await expect(handle.result()).rejects.toThrow()
    expect(runs.activities.executions('forged')).toBe(0)
  })
})

describe('a cancellation in Temporal itself', () => {
  test('stops the execution under way, and the run ends as cancelled', async () => {
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

/** The one resolution of the gate. */
function resolutionOf(run: ScriptedRun): Written {
  const found = resolutionsOf(run)
  expect(found).toHaveLength(1)
  return found[0] as Written
}

function resolutionsOf(run: ScriptedRun): Written[] {
  return runs.activities.written(run.gate_id).filter((each) => each.resolution !== null)
}

/** How many executions went through the lane. */
async function scheduled(run: ScriptedRun): Promise<number> {
  return (await run.events()).filter(({ eventType }) => eventType === EVENT.ACTIVITY_SCHEDULED).length
}

/** The history without the workflow tasks themselves, which a busy server counts as it likes. */
async function reported(run: ScriptedRun): Promise<unknown[]> {
  const tasks: unknown[] = [5, 6, 7, 8, 9]
  return (await run.events()).map(({ eventType }) => eventType).filter((type) => !tasks.includes(type))
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

describe('what Temporal shows', () => {
  test.each([
    ['succeeded', 'COMPLETED', [closes]],
    ['failed', 'FAILED', [closesAs('failed')]],
    ['cancelled', 'CANCELLED', [closesAs('cancelled')]],
    ['rejected', 'COMPLETED', [closesAs('rejected')]],
  ] as const)('a run that %s is %s', async (status, shown, executions) => {
    const run = await runs.start(`shown-${status}`, [...executions])
    expect((await run.result()).status).toBe(status)
    expect((await run.handle.describe()).status.name).toBe(shown)
  })

  test('what waits, and why, can be filtered for while it does, and a rejection afterwards', async () => {
    const run = await runs.start('shown-waiting', [parks()])
    await run.parked()
    const { memo, searchAttributes } = await run.handle.describe()
    expect(memo).toMatchObject({ workspace: 'ws_test', template: 'test/scripted', environment: 'test' })
    expect(searchAttributes).toMatchObject({
      WorkspaceId: ['ws_test'],
      TemplateId: ['test/scripted'],
      Environment: ['test'],
      RunStatus: ['awaiting_approval'],
      AwaitingGate: [run.gate_id],
    })
    const metadata = await run.handle.query<{ currentDetails?: string; definition?: object }>(
      '__temporal_workflow_metadata',
    )
    expect(metadata.currentDetails).toContain(run.gate_id)
    expect(JSON.stringify(metadata.definition)).toContain('Answers the gate that the run waits at')
    await run.decide('reject')
    await run.result()
    const ended = (await run.handle.describe()).searchAttributes
    expect(ended['RunStatus']).toEqual(['rejected'])
    expect(ended['AwaitingGate']?.[0] ?? null).toBeNull()
  })
})
