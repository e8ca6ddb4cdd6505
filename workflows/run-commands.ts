import {
  ApplicationFailure,
  allHandlersFinished,
  CancellationScope,
  defineSignal,
  defineUpdate,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow'
import {
  CANCEL_RUN,
  DECIDE_GATE,
  type DecisionClaim,
  type GateOutcome,
  type RefusedCommand,
  type RunClaim,
  WAKE_RUN,
} from '#core/contract.ts'
import type { GateStatus } from '#core/gate/types.ts'
import type { RunKnown, RunPosition } from '#core/run/next-move.ts'
import { historyFacts } from './history-facts.ts'
import { isRefusedClaim, recordCancel, recordDecision } from './ledger.ts'

/** The workflow's memory between its moves; everything else is in the record. */
export interface RunState extends Pick<RunKnown, 'cancelled' | 'woken'> {
  position: RunPosition
  ended: Map<string, GateStatus>
  /** the running execution of steps */
  advancing: CancellationScope | null
  /** the known cause of its failure */
  failure: string | null
  closed: boolean
}

/** Returns the same for the state machine, with the engine's facts about the history. */
export function knownTo({ cancelled, woken, ended }: RunState): RunKnown {
  return { cancelled, woken, ended, idle: allHandlersFinished(), history: historyFacts() }
}

const decideUpdate = defineUpdate<GateOutcome, [unknown]>(DECIDE_GATE)
const decideSignal = defineSignal<[unknown]>(DECIDE_GATE)
const wakeSignal = defineSignal(WAKE_RUN)
const cancelUpdate = defineUpdate<void, [unknown]>(CANCEL_RUN)

/** Passes commands to the record, which decides, and wakes the run where it has. Commands are not interpreted here. */
export function acceptCommands(claim: RunClaim, state: RunState): void {
  setHandler(
    decideUpdate,
    async (given) => {
      const answer = await decide(state, { ...claim, given: given ?? null })
      if ('refused' in answer) throw refusal(answer)
      return answer
    },
    {
      description:
        'Answers the gate that the run waits at. Counts with the signature of the API, or where access to Temporal is guarded',
      // a repetition of a recorded answer leaves no history
      validator: (given) => {
        const { gate_id } = given !== null && typeof given === 'object' ? (given as { gate_id?: unknown }) : {}
        if (state.closed || (typeof gate_id === 'string' && state.ended.has(gate_id)))
          throw refusal({ refused: 'gate_resolved' })
      },
    },
  )
  let signals = 0
  const onSignal = async (given: unknown) => {
    signals += 1
    const decision_id = `signal/${workflowInfo().runId}/${signals}`
    const { wait } = state.position
    const gate_id = wait?.for === 'gate' ? wait.gate_id : null
    try {
      await decide(state, { ...claim, given: given ?? null, signal: { decision_id, gate_id } })
    } catch (error) {
      // the answer has no reader, and a malformed signal must never end a run
      if (!isRefusedClaim(error)) throw error
    }
  }
  setHandler(decideSignal, onSignal, {
    description:
      'Answers the gate that the run waits at: {"decision": "reject", "note": "…"}. An approval counts only where signals may approve',
  })
  const wake = () => {
    state.woken = true
  }
  setHandler(wakeSignal, wake, { description: 'Has a run that waits ask the record again. It carries nothing' })
  setHandler(cancelUpdate, (command) => cancel(claim, state, command), {
    description:
      'Cancels the run. Counts with the signature of the API; otherwise use the cancellation of Temporal itself',
    validator: (_command: unknown) => {
      if (state.closed) throw refusal({ refused: 'run_terminal' })
      if (state.cancelled) throw refusal({ refused: 'conflict' })
    },
  })
  CancellationScope.current().cancelRequested.catch(() => cancel(claim, state, null))
}

/** Takes a decision to the record and wakes the run where it has resolved the gate. */
async function decide(state: RunState, claim: DecisionClaim): Promise<GateOutcome | RefusedCommand> {
  const answer = await outside(() => recordDecision(claim))
  if (!('refused' in answer) && answer.resolved) {
    state.ended.set(answer.gate_id, answer.status)
    state.woken = true
  }
  return answer
}

/** Passes a cancellation to the record and stops the running execution. */
async function cancel(claim: RunClaim, state: RunState, command: unknown): Promise<void> {
  const answer = await outside(() => recordCancel({ ...claim, command: command ?? null }))
  if ('refused' in answer) throw refusal(answer)
  state.cancelled = true
  state.woken = true
  state.advancing?.cancel()
}

/** In the scope of a cancelled workflow everything fails at once: records are written outside of it. */
function outside<Result>(act: () => Promise<Result>): Promise<Result> {
  return CancellationScope.nonCancellable(act)
}

function refusal({ refused }: RefusedCommand): ApplicationFailure {
  return ApplicationFailure.nonRetryable(`the command was refused: ${refused}`, refused)
}
