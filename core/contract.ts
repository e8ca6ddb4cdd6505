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
/** Signal that makes a waiting run read the record again. It has no payload. */
export const WAKE_RUN = 'run.wake'
/** Memo of a run's workflow that ends in Temporal as the run does: failed as Failed, cancelled as Cancelled. */
export const ENDS_AS_RUN = 'ends_as_run'
/** Type of the failure with which a run's workflow fails. */
export const RUN_FAILED = 'run_failed'
/** The beginning of its message: all that the log of the SDK keeps of it, because errors lose their type between threads. */
export const RUN_FAILED_MESSAGE = /^the (?:run|pipeline) failed(?:: |$)/
/** The longest text about a failed execution that is taken from the engine. */
export const FAILURE_TEXT_LENGTH = 500
/** Type of an activity's failure when the record does not support its claim. */
export const CLAIM_REFUSED = 'claim_refused'

/** The identifiers of a run: the only input of the workflow `runV2`. Everything else is read from the record. */
export interface RunClaim {
  run_id: string
  workspace_id: string
  lane: Lane
}

/** The start of a run, with its labels in the Temporal Web UI. */
export interface RunStart extends RunClaim, RunHints {
  title: string
  template: string
  environment: string
}

/** Guesses that only speed a run up. A wrong one costs an extra activity. */
export interface RunHints {
  /** the first execution will likely finish in a local activity */
  near?: boolean
}

export interface RunResult {
  status: TerminalStatus
}

/** The author and the channel of a command to a gate or a run. */
export interface CommandBy {
  by: string
  display: string
  type: AuditActor['type']
  roles: string[]
  channel: Channel
  /** true when the identity was not checked */
  asserted: boolean
  /** by the clock of the process that received it */
  at?: string
  /** how the identity was proven; absent when it was not */
  auth?: AuditActor['auth']
  /** the service account that answers for `by` */
  via?: string
  /** the people behind that account: who invited it, set its password or made its key */
  behind?: string[]
  /** delegations whose roles the voter may use */
  delegations?: Delegation[]
  /** the API's signature: a command without one did not come through the API */
  signature?: string
}

export interface Delegation {
  of: string
  roles: string[]
}

/** An answer to a gate. `dismiss` and `cleared` close it without a verdict on the plan. */
export interface GateCommand extends CommandBy {
  gate_id: string
  decision_id: string
  kind: Decision | 'dismiss' | 'cleared'
  /** the plan that the decision is about */
  plan_hash?: string
  note?: string
}

/** The payload of a signal from the Temporal Web UI. */
export interface GateSignal {
  decision: Decision
  note?: string
  gate_id?: string
}

export interface CancelCommand extends CommandBy {
  decision_id: string
  reason?: string
}

/** The recorded state of a gate after a decision, or an attempt at one. */
export interface GateOutcome {
  gate_id: string
  status: GateStatus
  resolved: boolean
  approvals: { have: number; need: number }
  resolved_by: string | null
  resolved_at: string | null
  channel: Channel
}

/** Reasons for refusing a command. Temporal passes these names to the caller. */
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

/** A refused command; nothing has changed. */
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
  | { kind: 'cancelling' }

/** A decision from the engine, unverified. */
export interface DecisionClaim extends RunClaim {
  /** the payload of an Update or a signal */
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
  /** expires the gate when it is due by the record's clock; else returns the remaining time */
  expireGate(claim: RunClaim & { gate_id: string }): Promise<{ status: GateStatus; remaining_ms: number }>
  /** null: cancelled in Temporal itself. Answers the run's status. */
  recordCancel(claim: RunClaim & { command: unknown }): Promise<{ status: RunStatus } | RefusedCommand>
  /** remaining delay of the run's next step, by the record's clock; 0 for none */
  readDelay(claim: RunClaim): Promise<{ remaining_ms: number }>
  /** ends a run whose executions fail for good, with the engine's message, or a run that is being cancelled: null */
  closeRun(claim: RunClaim & { failure: string | null }): Promise<RunResult>
}
