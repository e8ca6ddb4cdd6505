import type { AuditActor } from './audit/types.ts'
import type { Vote } from './gate/tally.ts'
import type { Channel, Decision, GateStatus, Required } from './gate/types.ts'
import type { Plan } from './plan/types.ts'
import type { TerminalStatus } from './run/status.ts'

/** Task queues: one per lane (workflows and their legs), one for short bookkeeping that no lane limits. */
export const LANES = ['realtime', 'background'] as const
export type Lane = (typeof LANES)[number]
export const LEDGER_QUEUE = 'ledger'

export const RUN_WORKFLOW = 'runV1'
/** Name of the Update, and of the signal, that answers a gate. */
export const DECIDE_GATE = 'gate.decide'
export const CANCEL_RUN = 'run.cancel'

/** Input of the workflow `runV1`: the compiled plan travels with the run. */
export interface RunInput {
  run_id: string
  workspace_id: string
  lane: Lane
  plan: Plan
}

export interface RunResult {
  status: TerminalStatus
}

/** Who acts on a gate or a run, and through which door. */
export interface CommandBy {
  by: string
  display: string
  roles: string[]
  channel: Channel
  /** true when nobody checked the identity */
  asserted: boolean
  /** how the identity was proven; absent means that it was not */
  auth?: AuditActor['auth']
  /** the service account that answers for `by` */
  via?: string
  /** whose roles the voter may use while they are out of office */
  delegations?: Delegation[]
  /** the API's own signature: an Update that carries none came around the API */
  signature?: string
}

export interface Delegation {
  of: string
  roles: string[]
}

/** One answer to a gate. `dismiss` and `cleared` close it without a verdict on the plan. */
export interface GateCommand extends CommandBy {
  gate_id: string
  decision_id: string
  kind: Decision | 'dismiss' | 'cleared'
  note?: string
}

/** What a signal from the Temporal Web UI may carry. */
export interface GateSignal {
  decision: Decision
  note?: string
  gate_id?: string
}

export interface CancelCommand extends CommandBy {
  decision_id: string
  reason?: string
}

/** What the workflow answers to whoever decided. */
export interface GateOutcome {
  gate_id: string
  status: GateStatus
  resolved: boolean
  approvals: { have: number; need: number }
  resolved_by: string | null
  /** null while the next leg carries the approval to the record */
  resolved_at: string | null
  channel: Channel
  /** why the decision was not counted although it was accepted: its signature, or its door */
  refused?: string
}

/** A gate as the workflow waits on it. */
export interface ParkedGate {
  gate_id: string
  step: string
  plan_hash: string
  /** since when it could be seen; by the clock of the process that opened it */
  opened_at?: string
  expires_at: string
  required: Required
  requested_by: string | null
  /** false when a signal from the engine's own surfaces may only reject */
  signals_approve?: boolean
  /** what was voted before, when a run comes back to a gate that is open */
  votes?: Vote[]
}

/** One stretch of a run, up to its next wait. */
export interface RunLeg {
  run_id: string
  workspace_id: string
  plan: Plan
  /** the approval that set this leg going, when nobody has recorded it yet */
  settle: GateSettlement | null
}

export type LegOutcome =
  | { kind: 'parked'; gate: ParkedGate }
  | { kind: 'delayed'; delay_ms: number; reason: string }
  | { kind: 'yielded' }
  | { kind: 'closed'; status: TerminalStatus }
  /** another attempt owns the run now, or this one was told to stop */
  | { kind: 'stopped' }
  /** the record says that the run is being cancelled */
  | { kind: 'cancelling' }

/** How a gate ended, as the workflow hands it to the record. */
export interface GateSettlement {
  run_id: string
  workspace_id: string
  gate: ParkedGate
  resolution: Exclude<GateStatus, 'open'> | null
  /** machine-readable cause of an expiry or cancellation: ttl, dismissed, condition_cleared */
  cause: string | null
  command: GateCommand | null
  cancel: CancelCommand | null
  approvals: { have: number; need: number }
  /** the command does not count; only the attempt is recorded */
  refused?: string
}

export interface RunClosing {
  run_id: string
  workspace_id: string
  status: 'cancelled' | 'failed'
  cancel: CancelCommand | null
  error: { code: string; message: string } | null
}

/** Activities of the lanes' workers. */
export interface LaneActivities {
  advanceRun(leg: RunLeg): Promise<LegOutcome>
}

/** Bookkeeping: each is safe to repeat, and the first record stands. */
export interface LedgerActivities {
  settleGate(settlement: GateSettlement): Promise<GateOutcome>
  beginCancel(cancel: { run_id: string; workspace_id: string; command: CancelCommand }): Promise<void>
  closeRun(closing: RunClosing): Promise<RunResult>
}
