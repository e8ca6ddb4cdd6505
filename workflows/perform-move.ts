import { allHandlersFinished, condition, continueAsNew, sleep } from '@temporalio/workflow'
import type { RunClaim, RunResult } from '#core/contract.ts'
import { isWaitOver, type Move, type MoveOutcome } from '#core/run/next-move.ts'
import { closeRun, expireGate, PAUSE_MS, readDelay } from './ledger.ts'
import { isRefusedClaim } from './refused-claim.ts'
import { knownTo, type RunState } from './run-state.ts'

type Performed = Exclude<Move, { do: 'leg' | 'give_up' | 'end' }>

/** Does one move that is no leg. A claim that the record refuses is an outcome; every other fault is repeated by the engine. */
export async function performMove(claim: RunClaim, state: RunState, move: Performed): Promise<MoveOutcome> {
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
        return await continueAsNew<(claim: RunClaim) => Promise<RunResult>>(claim)
    }
  } catch (error) {
    if (!isRefusedClaim(error)) throw error
    state.cancelled = false
    return { kind: 'refused' }
  }
}
