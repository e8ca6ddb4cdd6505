import { ApplicationFailure, condition, defineSignal, defineUpdate, setHandler } from '@temporalio/workflow'
import {
  CANCEL_RUN,
  type CancelCommand,
  DECIDE_GATE,
  type GateCommand,
  type GateOutcome,
  type GateSignal,
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
      // the gate can be read a moment before the leg that opened it has reported: whoever is that fast waits for it
      const { waits } = state
      if (state.gate === null) await condition(() => state.gate !== null || state.waits !== waits || state.closed)
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
  setHandler(decideGateSignal, (signal) => {
    if (state.gate === null || (signal?.decision !== 'approve' && signal?.decision !== 'reject')) return
    signals += 1
    const command: GateCommand = {
      gate_id: signal.gate_id ?? state.gate.parked.gate_id,
      decision_id: `signal/${input.run_id}/${signals}`,
      kind: signal.decision,
      by: 'temporal',
      display: 'Temporal Web UI',
      roles: ['owner'],
      channel: 'temporal',
      asserted: true,
      ...(typeof signal.note === 'string' ? { note: signal.note.slice(0, 2_000) } : {}),
    }
    if (refuseCommand(state.gate, command) !== undefined) return
    if (command.kind === 'approve' && state.gate.parked.signals_approve === false) {
      refuseOnRecord(state.gate, command, 'approver_not_allowed')
    } else acceptCommand(state.gate, command)
  })
}

function refusal(code: string): ApplicationFailure {
  return ApplicationFailure.nonRetryable(
    code === 'run_not_awaiting' ? 'the run is not awaiting approval' : 'the gate is resolved',
    code,
  )
}
