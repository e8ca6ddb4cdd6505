import {
  ActivityFailure,
  ApplicationFailure,
  allHandlersFinished,
  CancellationScope,
  condition,
  continueAsNew,
  isCancellation,
  sleep,
  TemporalFailure,
} from '@temporalio/workflow'
import { isResultOf } from '#core/activity-results.ts'
import { CLAIM_REFUSED, FAILURE_TEXT_LENGTH, type RunClaim, type RunHints, type RunResult } from '#core/contract.ts'
import { isWaitOver, type Move, type MoveOutcome, nextMove } from '#core/run/next-move.ts'
import { advanceLocally, advanceRun, closeRun, expireGate, isRefusedClaim, PAUSE_MS, readDelay } from './ledger.ts'
import { acceptCommands, knownTo, type RunState } from './run-commands.ts'
import { endAs, showGate, showProgress } from './shown.ts'

/** The run: makes one move after the other. `nextMove` chooses it from the record. */
export async function runV2(claim: RunClaim, hints?: RunHints): Promise<RunResult> {
  const position = { local: hints?.near === true, wait: null }
  const known = { ended: new Map(), woken: false, cancelled: false }
  const state: RunState = { ...known, position, advancing: null, failure: null, closed: false }
  acceptCommands(claim, state)
  return await CancellationScope.nonCancellable(() => live(claim, state))
}

async function live(claim: RunClaim, state: RunState): Promise<RunResult> {
  for (let outcome: MoveOutcome = { kind: 'begun' }; ; ) {
    const { position, move } = nextMove(state.position, outcome, knownTo(state))
    state.position = position
    if (move.do === 'give_up') throw ApplicationFailure.nonRetryable('the record knows no such run', CLAIM_REFUSED)
    if (move.do === 'end') {
      state.closed = true
      await condition(allHandlersFinished)
      return endAs(move.status, state.failure)
    }
    // a wake-up during the read also ends the wait that follows
    if (outcome.kind !== 'read') state.woken = false
    if (outcome.kind === 'parked') await showOpenGate(state, outcome)
    outcome = await (move.do === 'advance' ? advance(claim, state, move.local) : perform(claim, state, move))
  }
}

/** An answer may come before the execution has reported the gate: then there is nothing to wait for. */
async function showOpenGate({ ended }: RunState, { gate_id, step }: { gate_id: string; step: string }): Promise<void> {
  await condition(allHandlersFinished)
  if (!ended.has(gate_id)) showGate(gate_id, step)
}

/** Executes the run's steps, in its lane or in a local activity, until it parks, waits or ends. */
async function advance(claim: RunClaim, state: RunState, local: boolean): Promise<MoveOutcome> {
  // the answer to a decision is in the history before what follows, in every replay
  await condition(allHandlersFinished)
  showProgress()
  try {
    state.advancing = new CancellationScope({ cancellable: true })
    const outcome = await state.advancing.run(() => (local ? advanceLocally(claim) : advanceRun(claim)))
    if (!isResultOf.advanceRun(outcome)) return { kind: 'no_answer' }
    // the gate is open by the record, whatever was known before
    if (outcome.kind === 'parked') state.ended.delete(outcome.gate_id)
    if (outcome.kind === 'closed' && typeof outcome.code === 'string') state.failure = outcome.code
    return outcome
  } catch (error) {
    if (isRefusedClaim(error)) return { kind: 'unknown_run' }
    // an execution that was lost while it was being cancelled is not repeated, and counts as stopped
    if (isCancellation(error) || state.cancelled) return { kind: 'stopped' }
    // it took too long, or its worker is stopping: its effects are recorded
    if (local && error instanceof TemporalFailure) return { kind: 'yielded' }
    if (error instanceof ActivityFailure)
      return { kind: 'failed', failure: (error.cause?.message ?? error.message).slice(0, FAILURE_TEXT_LENGTH) }
    throw error
  } finally {
    state.advancing = null
  }
}

/** Any other move. A claim that the record refuses is an outcome; every other fault is repeated by the engine. */
async function perform(
  claim: RunClaim,
  state: RunState,
  move: Exclude<Move, { do: 'advance' | 'give_up' | 'end' }>,
): Promise<MoveOutcome> {
  try {
    switch (move.do) {
      case 'close':
        state.failure = move.failure
        return { kind: 'closed', status: (await closeRun({ ...claim, failure: move.failure })).status }
      case 'read_gate': {
        const { status, remaining_ms } = await expireGate({ ...claim, gate_id: move.gate_id })
        if (status !== 'open') state.ended.set(move.gate_id, status)
        return { kind: 'read', status, remaining_ms }
      }
      case 'read_delay':
        return { kind: 'read', remaining_ms: (await readDelay(claim)).remaining_ms }
      case 'wait':
        // of several that decide in one workflow task the last is answered first: in every replay the wait ends after them
        await condition(() => allHandlersFinished() && isWaitOver(state.position, knownTo(state)), move.for_ms, {
          summary: move.summary,
        })
        return { kind: 'waited' }
      case 'pause':
        await sleep(PAUSE_MS)
        return { kind: 'paused' }
      case 'continue_as_new':
        await condition(allHandlersFinished)
        return await continueAsNew<(claim: RunClaim) => Promise<RunResult>>(claim)
    }
  } catch (error) {
    if (!isRefusedClaim(error)) throw error
    state.cancelled = false
    return { kind: 'refused' }
  }
}
