import { ApplicationFailure, CancellationScope } from '@temporalio/workflow'
import type { DecisionClaim, GateOutcome, RefusedCommand, RunClaim } from '#core/contract.ts'
import { recordCancel, recordDecision } from './ledger.ts'
import type { RunState } from './run-state.ts'

/** Takes a decision to the record and wakes the run where it has resolved the gate. */
export async function decide(state: RunState, claim: DecisionClaim): Promise<GateOutcome | RefusedCommand> {
  const answer = await outside(() => recordDecision(claim))
  if (!('refused' in answer) && answer.resolved) {
    state.ended.set(answer.gate_id, answer.status)
    state.woken = true
  }
  return answer
}

/** Takes a cancellation to the record and stops the leg under way. */
export async function cancel(claim: RunClaim, state: RunState, command: unknown): Promise<void> {
  const answer = await outside(() => recordCancel({ ...claim, command: command ?? null }))
  if ('refused' in answer) throw refusal(answer)
  state.cancelled = true
  state.woken = true
  state.leg?.cancel()
}

/** Whatever a cancelled workflow does in its own scope fails at once: what must be recorded is done outside of it. */
function outside<Result>(act: () => Promise<Result>): Promise<Result> {
  return CancellationScope.nonCancellable(act)
}

export function refusal({ refused }: RefusedCommand): ApplicationFailure {
  return ApplicationFailure.nonRetryable(`the command was refused: ${refused}`, refused)
}
