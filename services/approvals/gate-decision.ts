import type { GateOutcome } from '#core/contract.ts'
import type { Decision } from '#core/gate/types.ts'

/** One answer to a gate, through whichever door. `dismiss` and `cleared` close it without a verdict on the plan. */
export interface GateDecision {
  run_id: string
  kind: Decision | 'dismiss' | 'cleared'
  note?: string
  gate_id?: string
  plan_hash?: string
  /** who is said to have decided; with authentication on, the token decides that */
  approver?: string
}

export interface DecidedGate extends GateOutcome {
  run_id: string
  decision: Decision | null
}
