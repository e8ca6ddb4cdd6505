import {
  ActivityFailure,
  ApplicationFailure,
  allHandlersFinished,
  CancellationScope,
  condition,
  isCancellation,
  setHandler,
  sleep,
} from '@temporalio/workflow'
import type { CancelCommand, GateSettlement, LegOutcome, ParkedGate, RunInput, RunResult } from '#core/contract.ts'
import {
  acceptCancel,
  approvedOutcome,
  dropVote,
  isCarried,
  nextSettlement,
  type OpenGate,
  openGate,
} from '#core/run/gate-state.ts'
import { advanceRun, beginCancel, closeRun, settleGate } from './activities.ts'
import { acceptDecisions, cancelRun } from './decisions.ts'

/** The run: a loop over legs and waits. What a leg may do is decided where it acts, never here. */
export async function runV1(input: RunInput): Promise<RunResult> {
  const state: RunState = { gate: null, carried: null, cancel: null, leg: null, waits: 0, resolved: [], closed: false }
  acceptDecisions(input, state)
  setHandler(cancelRun, (command: CancelCommand) => requestCancel(input, state, command), {
    validator: (_command: CancelCommand) => {
      if (state.closed) throw ApplicationFailure.nonRetryable('the run has ended', 'run_terminal')
      if (state.cancel) throw ApplicationFailure.nonRetryable('the run is being cancelled already', 'conflict')
    },
  })
  // whatever this scope does once it is cancelled fails at once: the run goes on, and is cancelled, outside of it
  CancellationScope.current().cancelRequested.catch(() =>
    CancellationScope.nonCancellable(() => requestCancel(input, state, cancelledFromOutside(input))),
  )
  return await CancellationScope.nonCancellable(async () => {
    const result = await live(input, state)
    state.closed = true
    if (!allHandlersFinished()) await condition(allHandlersFinished)
    return result
  })
}

export interface RunState {
  gate: OpenGate | null
  /** an approval that the next leg takes along and records before it acts */
  carried: GateSettlement | null
  cancel: CancelCommand | null
  /** the leg (or delay) under way */
  leg: CancellationScope | null
  /** how many legs have reported anything but a gate */
  waits: number
  /** gates that are over: whoever answers one of them need not wait for the leg under way */
  resolved: string[]
  closed: boolean
}

async function live(input: RunInput, state: RunState): Promise<RunResult> {
  for (;;) {
    if (state.cancel) return await close(input, state, 'cancelled')
    const outcome = await leg(input, state)
    if (state.carried) await settleCarried(state)
    if (outcome.kind !== 'parked') state.waits += 1
    if (outcome.kind === 'closed') return { status: outcome.status }
    if (outcome.kind === 'cancelling') return await close(input, state, 'cancelled')
    if (outcome.kind === 'failed') return await close(input, state, 'failed', outcome.error)
    if (outcome.kind === 'delayed') await wait(state, outcome.delay_ms, outcome.reason)
    if (outcome.kind === 'parked' && !state.cancel) {
      const ended = await park(input, state, outcome.gate)
      if (ended) return ended
    }
  }
}

async function leg(
  input: RunInput,
  state: RunState,
): Promise<LegOutcome | { kind: 'failed'; error: { code: string; message: string } }> {
  const { run_id, workspace_id, plan } = input
  try {
    state.leg = new CancellationScope({ cancellable: true })
    const outcome = await state.leg.run(() =>
      advanceRun.executeWithOptions({ summary: plan.title }, [{ run_id, workspace_id, plan, settle: state.carried }]),
    )
    state.carried = null
    return outcome
  } catch (error) {
    // a leg whose worker was lost while it was being cancelled is not repeated, and ends as what was asked for
    if (isCancellation(error) || state.cancel) return { kind: 'stopped' }
    if (error instanceof ActivityFailure)
      return { kind: 'failed', error: { code: 'internal', message: error.cause?.message ?? error.message } }
    throw error
  } finally {
    state.leg = null
  }
}

/** A durable delay that a cancellation cuts short. */
async function wait(state: RunState, delayMs: number, reason: string): Promise<void> {
  try {
    state.leg = new CancellationScope({ cancellable: true })
    await state.leg.run(() => sleep(delayMs, { summary: reason }))
  } catch (error) {
    if (!isCancellation(error)) throw error
  } finally {
    state.leg = null
  }
}

/** Waits for the one resolution of a gate; answers when the run is over with it. */
async function park(input: RunInput, state: RunState, parked: ParkedGate): Promise<RunResult | undefined> {
  const gate = openGate(parked)
  state.gate = gate
  for (;;) {
    const remaining_ms = Math.max(1, Date.parse(parked.expires_at) - Date.now())
    await condition(() => gate.line.length > 0, remaining_ms, { summary: `approval of ${parked.step}` })
    const settlement = nextSettlement(gate, input)
    if (isCarried(settlement) && !state.cancel) {
      state.carried = settlement
      gate.outcomes[settlement.command.decision_id] = approvedOutcome(settlement)
      leaveGate(state, parked)
      return undefined
    }
    const outcome = await settleGate(settlement)
    if (settlement.command) {
      gate.outcomes[settlement.command.decision_id] = outcome
      if (outcome.refused !== undefined && settlement.refused === undefined) dropVote(gate, settlement.command)
    }
    if (outcome.status === 'open') continue
    gate.claimed = outcome.status
    leaveGate(state, parked)
    if (outcome.status === 'approved') return undefined
    return { status: outcome.status }
  }
}

function leaveGate(state: RunState, { gate_id }: ParkedGate): void {
  state.gate = null
  state.resolved.push(gate_id)
}

async function requestCancel(input: RunInput, state: RunState, command: CancelCommand): Promise<void> {
  state.cancel = command
  if (state.gate) {
    acceptCancel(state.gate, command)
    return
  }
  await settleCarried(state)
  await beginCancel({ run_id: input.run_id, workspace_id: input.workspace_id, command })
  state.leg?.cancel()
}

/** An approval that no leg has recorded, because it was cancelled before it began, is recorded here. */
async function settleCarried(state: RunState): Promise<void> {
  const { carried } = state
  if (carried === null) return
  state.carried = null
  await settleGate(carried)
}

function close(
  input: RunInput,
  state: RunState,
  status: 'cancelled' | 'failed',
  error: { code: string; message: string } | null = null,
) {
  return closeRun({ run_id: input.run_id, workspace_id: input.workspace_id, status, cancel: state.cancel, error })
}

function cancelledFromOutside(input: RunInput): CancelCommand {
  return {
    by: 'temporal',
    display: 'Temporal',
    roles: [],
    channel: 'temporal',
    asserted: true,
    decision_id: `cancel/${input.run_id}`,
    reason: 'cancelled in Temporal',
  }
}
