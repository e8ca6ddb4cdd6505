import type { AuditActor } from './audit/types.ts'
import type { ErrorCode } from './errors.ts'
import type { Channel, Decision, GateStatus } from './gate/types.ts'
import type { RunStatus, TerminalStatus } from './run/status.ts'

/** Task queues: one per lane (workflows and their executions), one for short bookkeeping that no lane limits. */
export const LANES = ['realtime', 'background'] as const
export type Lane = (typeof LANES)[number]
export const LEDGER_QUEUE = 'ledger'

export const RUN_WORKFLOW = 'runV2'
/** Name of the Update, and of the signal, that answers a gate. */
export const DECIDE_GATE = 'gate.decide'
export const CANCEL_RUN = 'run.cancel'
/** Name of the signal at which a run that waits asks the record again. It carries nothing. */
export const WAKE_RUN = 'run.wake'
/** Memo of a run's workflow that ends in Temporal as the run does: failed as Failed, cancelled as Cancelled. */
export const ENDS_AS_RUN = 'ends_as_run'
/** Type of the failure with which a run's workflow fails. */
export const RUN_FAILED = 'run_failed'
/** The longest text about a failed execution that is taken from the engine. */
export const FAILURE_TEXT_LENGTH = 500
/** Type of the failure of an activity whose claim the record does not bear out. */
export const CLAIM_REFUSED = 'claim_refused'

/** A run by its names, and all that the workflow `runV2` is given. What it is, and may do, is read from the record. */
export interface RunClaim {
  run_id: string
  workspace_id: string
  lane: Lane
}

/** A run to be started, with what the engine's own surfaces call it. */
export interface RunStart extends RunClaim, RunHints {
  title: string
  template: string
  environment: string
}

/** Guesses that only set how a run goes about it. A wrong one costs a hop. */
export interface RunHints {
  /** the first execution is likely to come to its end beside the workflow task */
  near?: boolean
}

export interface RunResult {
  status: TerminalStatus
}

/** Who acts on a gate or a run, and through which channel. */
export interface CommandBy {
  by: string
  display: string
  type: AuditActor['type']
  roles: string[]
  channel: Channel
  /** true when nobody checked the identity */
  asserted: boolean
  /** when, by the clock of the process that took it */
  at?: string
  /** how the identity was proven; absent means that it was not */
  auth?: AuditActor['auth']
  /** the service account that answers for `by` */
  via?: string
  /** the people behind that account: who invited it, set its password or made its key */
  behind?: string[]
  /** whose roles the voter may use while they are out of office */
  delegations?: Delegation[]
  /** the API's own signature: a command that carries none came around the API */
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
  /** what the decision is about */
  plan_hash?: string
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

/** The state of a gate on record after a decision, or an attempt at one. */
export interface GateOutcome {
  gate_id: string
  status: GateStatus
  resolved: boolean
  approvals: { have: number; need: number }
  resolved_by: string | null
  resolved_at: string | null
  channel: Channel
}

/** Why a command may be refused. Temporal transports these names to the caller. */
export const REFUSALS = [
  'run_not_awaiting',
  'gate_resolved',
  'conflict',
  'run_terminal',
  'approver_not_allowed',
  'self_approval',
  'plan_changed',
  'plan_hash_required',
  'note_required',
  'not_found',
  'validation_failed',
] as const satisfies ErrorCode[]
export type CommandRefusal = (typeof REFUSALS)[number]

/** Why a command was not taken; nothing has changed. */
export interface RefusedCommand {
  refused: CommandRefusal
}

export type AdvanceOutcome =
  | { kind: 'parked'; gate_id: string; step: string }
  | { kind: 'delayed'; delay_ms: number; reason: string }
  | { kind: 'yielded' }
  /** `code`: why it failed */
  | { kind: 'closed'; status: TerminalStatus; code?: string }
  /** another attempt owns the run now, or this one was told to stop */
  | { kind: 'stopped' }
  /** the record says that the run is being cancelled */
  | { kind: 'cancelling' }

/** A decision as it came through the engine. Nothing of it is believed. */
export interface DecisionClaim extends RunClaim {
  /** what an Update or a signal carried */
  given: unknown
  /** of a signal: the name of its decision, and the gate that the run was waiting on when it came */
  signal?: { decision_id: string; gate_id: string | null }
}

/** Activities of the lanes' workers. */
export interface LaneActivities {
  /** as an activity, an execution in a slot of its lane; as a local activity, a local execution, which may give up at once */
  advanceRun(claim: RunClaim): Promise<AdvanceOutcome>
}

/** Bookkeeping: each is idempotent, and the first record counts. */
export interface LedgerActivities {
  recordDecision(claim: DecisionClaim): Promise<GateOutcome | RefusedCommand>
  /** expires the gate when it is due by the record's clock; else says how long it has left */
  expireGate(claim: RunClaim & { gate_id: string }): Promise<{ status: GateStatus; remaining_ms: number }>
  /** null: cancelled in Temporal itself. Answers the run's status. */
  recordCancel(claim: RunClaim & { command: unknown }): Promise<{ status: RunStatus } | RefusedCommand>
  /** how long the run's next step has to wait, by the record's clock; 0 where nothing is noted */
  readDelay(claim: RunClaim): Promise<{ remaining_ms: number }>
  /** ends a run whose executions fail for good, with what the engine says of it, or one that is being cancelled: null */
  closeRun(claim: RunClaim & { failure: string | null }): Promise<RunResult>
}
