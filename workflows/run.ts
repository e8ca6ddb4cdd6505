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
  workflowInfo,
} from '@temporalio/workflow'
import { isResultOf } from '#core/activity-results.ts'
import { CLAIM_REFUSED, FAILURE_TEXT_LENGTH, type RunClaim, type RunHints, type RunResult } from '#core/contract.ts'
import type { GateStatus } from '#core/gate/types.ts'
import { isWaitOver, type Move, type MoveOutcome, nextMove, type RunKnown, type RunPlace } from '#core/run/next-move.ts'
import { advanceNear, advanceRun, closeRun, expireGate, isRefusedClaim, PAUSE_MS, readDelay } from './activities.ts'
import { acceptCommands } from './commands.ts'
import { endAs, showGate, showLeg } from './shown.ts'

export interface RunState extends Pick<RunKnown, 'cancelled' | 'woken'> {
  place: RunPlace
  ended: Map<string, GateStatus>
  /** the leg under way */
  leg: CancellationScope | null
  /** what is known of why it failed */
  failure: string | null
  closed: boolean
}

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
    outcome = await (move.do === 'leg' ? leg(claim, state, move.near) : perform(claim, state, move))
  }
}

/** Somebody may have answered before the leg has told of the gate: their answer comes first, and there is nothing to wait for. */
async function showOpenGate({ ended }: RunState, { gate_id, step }: { gate_id: string; step: string }): Promise<void> {
  await condition(allHandlersFinished)
  if (!ended.has(gate_id)) showGate(gate_id, step)
}

type Performed = Exclude<Move, { do: 'leg' | 'give_up' | 'end' }>

async function perform(claim: RunClaim, state: RunState, move: Performed): Promise<MoveOutcome> {
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
        await condition(() => allHandlersFinished() && isWaitOver(state.place, knownTo(state)), move.for_ms, {
          summary: move.summary,
        })
        return { kind: 'waited' }
      case 'pause':
        await sleep(PAUSE_MS)
        return { kind: 'paused' }
      case 'go_on_anew':
        await condition(allHandlersFinished)
        return await continueAsNew<typeof runV2>(claim)
    }
  } catch (error) {
    if (!isRefusedClaim(error)) throw error
    state.cancelled = false
    return { kind: 'refused' }
  }
}

async function leg(claim: RunClaim, state: RunState, near: boolean): Promise<MoveOutcome> {
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

function knownTo({ cancelled, woken, ended }: RunState): RunKnown {
  const { continueAsNewSuggested: suggested, historyLength: length, memo } = workflowInfo()
  const limit = Number(memo?.['history_limit'] ?? Number.POSITIVE_INFINITY)
  return { cancelled, woken, ended, idle: allHandlersFinished(), history: { length, suggested, limit } }
}
