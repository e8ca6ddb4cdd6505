import {
  ActivityFailure,
  allHandlersFinished,
  CancellationScope,
  condition,
  isCancellation,
  TemporalFailure,
} from '@temporalio/workflow'
import { isResultOf } from '#core/activity-results.ts'
import { FAILURE_TEXT_LENGTH, type RunClaim } from '#core/contract.ts'
import type { MoveOutcome } from '#core/run/next-move.ts'
import { advanceNear, advanceRun } from './legs.ts'
import { isRefusedClaim } from './refused-claim.ts'
import type { RunState } from './run-state.ts'
import { showLeg } from './shown.ts'

/** One leg of the run, in the lane or beside the workflow task, until it parks, waits or ends. */
export async function runLeg(claim: RunClaim, state: RunState, near: boolean): Promise<MoveOutcome> {
  // the answer to whoever decided stands in the history before what follows, in every replay
  await condition(allHandlersFinished)
  showLeg()
  try {
    state.leg = new CancellationScope({ cancellable: true })
    const outcome = await state.leg.run(() => (near ? advanceNear(claim) : advanceRun(claim)))
    if (!isResultOf.advanceRun(outcome)) return { kind: 'no_answer' }
    // what was said of the gate before does not hold: the record has it open
    if (outcome.kind === 'parked') state.ended.delete(outcome.gate_id)
    if (outcome.kind === 'closed' && typeof outcome.code === 'string') state.failure = outcome.code
    return outcome
  } catch (error) {
    if (isRefusedClaim(error)) return { kind: 'disowned' }
    // a leg whose worker was lost while it was being cancelled is not repeated, and ends as what was asked for
    if (isCancellation(error) || state.cancelled) return { kind: 'stopped' }
    // it took too long, or its worker is going away: what it has done is on record
    if (near && error instanceof TemporalFailure) return { kind: 'yielded' }
    if (error instanceof ActivityFailure)
      return { kind: 'failed', failure: (error.cause?.message ?? error.message).slice(0, FAILURE_TEXT_LENGTH) }
    throw error
  } finally {
    state.leg = null
  }
}
