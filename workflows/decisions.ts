import { ApplicationFailure, condition, defineSignal, defineUpdate, setHandler } from '@temporalio/workflow'
import {
  CANCEL_RUN,
  type CancelCommand,
  DECIDE_GATE,
  type GateCommand,
  type GateOutcome,
  type GateSignal,
  type ParkedGate,
  type RunInput,
} from '#core/contract.ts'
import { acceptCommand, refuseCommand, refuseOnRecord } from '#core/run/gate-state.ts'
import type { RunState } from './run.ts'

const decideGate = defineUpdate<GateOutcome, [GateCommand]>(DECIDE_GATE)
const decideGateSignal = defineSignal<[GateSignal]>(DECIDE_GATE)
export const cancelRun = defineUpdate<void, [CancelCommand]>(CANCEL_RUN)

/** One gate, two doors: the Update answers whoever decides, the signal serves the Temporal Web UI. */
export function acceptDecisions(input: RunInput, state: RunState): void {
  setHandler(
    decideGate,
    async (command) => {
      if (state.gate === null) await gateOrEnd(state)
      const gate = state.gate
      const code = refuseCommand(gate, command)
      if (gate === null || code !== undefined) throw refusal(code ?? 'run_not_awaiting')
      acceptCommand(gate, command)
      await condition(() => gate.outcomes[command.decision_id] !== undefined || state.gate !== gate)
      const outcome = gate.outcomes[command.decision_id]
      if (outcome === undefined) throw refusal('gate_resolved')
      return outcome
    },
    {
      validator: (command) => {
        if (state.gate === null && state.resolved.includes(command.gate_id)) throw refusal('gate_resolved')
        const code = state.gate === null && state.leg !== null ? undefined : refuseCommand(state.gate, command)
        if (code !== undefined) throw refusal(code)
      },
    },
  )
  let signals = 0
  setHandler(decideGateSignal, async (signal) => {
    if (signal?.decision !== 'approve' && signal?.decision !== 'reject') return
    signals += 1
    const decision_id = `signal/${input.run_id}/${signals}`
    const early = state.gate === null ? { at_ms: Date.now(), gates: state.resolved.length } : null
    if (early !== null) await gateOrEnd(state)
    const gate = state.gate
    // a run whose gate was parked without this time forgot such a signal, and must again when it replays
    if (gate === null || (early !== null && gate.parked.opened_at === undefined)) return
    const command: GateCommand = {
      gate_id: signal.gate_id ?? gate.parked.gate_id,
      decision_id,
      kind: signal.decision,
      by: 'temporal',
      display: 'Temporal Web UI',
      roles: ['owner'],
      channel: 'temporal',
      asserted: true,
      ...(typeof signal.note === 'string' ? { note: signal.note.slice(0, 2_000) } : {}),
    }
    if (refuseCommand(gate, command) !== undefined) return
    if (early !== null && signal.gate_id === undefined && !couldMean(gate.parked, early)) {
      refuseOnRecord(gate, command, 'run_not_awaiting')
    } else if (command.kind === 'approve' && gate.parked.signals_approve === false) {
      refuseOnRecord(gate, command, 'approver_not_allowed')
    } else acceptCommand(gate, command)
  })
}

/** A gate can be read a moment before the leg that opened it has reported: whoever is that fast waits for it. */
async function gateOrEnd(state: RunState): Promise<void> {
  const { waits } = state
  await condition(() => state.gate !== null || state.waits !== waits || state.closed)
}

/**
 * Whether a signal that names no gate, and came before the run knew of one, was sent by somebody who could see this gate.
 * After another gate it may as well be the answer to that one, sent twice.
 */
function couldMean({ opened_at }: ParkedGate, early: { at_ms: number; gates: number }): boolean {
  return early.gates === 0 && opened_at !== undefined && Date.parse(opened_at) <= early.at_ms
}

function refusal(code: string): ApplicationFailure {
  return ApplicationFailure.nonRetryable(
    code === 'run_not_awaiting' ? 'the run is not awaiting approval' : 'the gate is resolved',
    code,
  )
}
