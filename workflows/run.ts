import { ApplicationFailure, allHandlersFinished, CancellationScope, condition } from '@temporalio/workflow'
import { CLAIM_REFUSED, type RunClaim, type RunHints, type RunResult } from '#core/contract.ts'
import { type MoveOutcome, nextMove } from '#core/run/next-move.ts'
import { acceptCommands } from './commands.ts'
import { performMove } from './perform-move.ts'
import { runLeg } from './run-leg.ts'
import { knownTo, type RunState } from './run-state.ts'
import { endAs, showGate } from './shown.ts'

/** The run: does one move after the other. Which one is said by `nextMove`, from what the record says. */
export async function runV2(claim: RunClaim, hints?: RunHints): Promise<RunResult> {
  const place = { near: hints?.near === true, wait: null }
  const known = { ended: new Map(), woken: false, cancelled: false }
  const state: RunState = { ...known, place, leg: null, failure: null, closed: false }
  acceptCommands(claim, state)
  return await CancellationScope.nonCancellable(() => live(claim, state))
}

async function live(claim: RunClaim, state: RunState): Promise<RunResult> {
  for (let outcome: MoveOutcome = { kind: 'begun' }; ; ) {
    const { place, move } = nextMove(state.place, outcome, knownTo(state))
    state.place = place
    if (move.do === 'give_up') throw ApplicationFailure.nonRetryable('the record knows no such run', CLAIM_REFUSED)
    if (move.do === 'end') {
      state.closed = true
      await condition(allHandlersFinished)
      return endAs(move.status, state.failure)
    }
    // whoever woke the run while the record was asked has woken the wait that follows
    if (outcome.kind !== 'read') state.woken = false
    if (outcome.kind === 'parked') await showOpenGate(state, outcome)
    outcome = await (move.do === 'leg' ? runLeg(claim, state, move.near) : performMove(claim, state, move))
  }
}

/** Somebody may have answered before the leg has told of the gate: their answer comes first, and there is nothing to wait for. */
async function showOpenGate({ ended }: RunState, { gate_id, step }: { gate_id: string; step: string }): Promise<void> {
  await condition(allHandlersFinished)
  if (!ended.has(gate_id)) showGate(gate_id, step)
}
