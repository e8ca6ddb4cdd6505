import type { AuditDraft } from '#core/audit/types.ts'
import type { GateCommand, Lane } from '#core/contract.ts'
import type { Vote } from '#core/gate/tally.ts'
import type { Channel, GateKind, GateStatus, Required } from '#core/gate/types.ts'
import type { JsonObject } from '#core/json.ts'
import type { Plan } from '#core/plan/types.ts'
import type { Risk } from '#core/policy/types.ts'
import type { EventDraft } from '#core/run/event.ts'
import type { RunStatus, StepState } from '#core/run/status.ts'

/** A run about to be admitted; drafts with the same fingerprint in one call are refused, the caller folds them. */
export interface RunDraft {
  id: string
  workspace_id: string
  pack: string
  template: string
  template_version: string
  template_digest: string
  plan_digest: string
  plan: Plan
  lane: Lane
  environment: string
  environment_class: string
  profile: string
  config_preset: string | null
  sandbox: boolean
  dry_run: boolean
  risk: Risk
  action_types: string[]
  capabilities: string[]
  inputs: JsonObject
  inputs_hash: string
  /** its secret inputs, as one sealed text */
  sealed?: string
  reason: string | null
  labels: JsonObject
  provenance: JsonObject
  fingerprint: string | null
  alerts: { delivery_id: string; member: string }[]
  /** how often its fingerprint may start a run; durations in milliseconds */
  limits?: StartLimits
  cap_micro_usd: number
  actor: JsonObject
  audit: AuditDraft
}

export interface Admitted {
  run_id: string
  started: boolean
  status: RunStatus
  attached_count: number
}

/** How often one fingerprint may start a run: so many within a time, and none for a time after the last one ended. */
export interface StartLimits {
  max_runs?: { count: number; per: number } | undefined
  cooldown?: number | undefined
}

/** No run was started and none is active: the limits allow the next one at this time. */
export interface Throttled {
  started: false
  throttled_until: string
  run_id?: never
}

/** Alerts that may attach to the active run of their fingerprint, and start none. */
export interface AttachWish {
  workspace_id: string
  fingerprint: string
  alerts: RunDraft['alerts']
}

/** What an executing leg needs to know of its run. */
export interface RunHead {
  id: string
  workspace_id: string
  status: RunStatus
  pack: string
  template: string
  lane: Lane
  environment: string
  environment_class: string
  profile: string
  dry_run: boolean
  inputs: JsonObject
  /** the secrets that `inputs` leaves out */
  sealed: string | null
  reason: string | null
  provenance: JsonObject
  plan_digest: string
  cap_micro_usd: number
  spent_micro_usd: number
  reserved_micro_usd: number
  steps: StepRecord[]
  gates: GateRecord[]
}

export interface StepRecord {
  step_id: string
  state: StepState
  attempt: number
  outputs: JsonObject | null
  error: JsonObject | null
  plan_hash: string | null
  simulation: JsonObject | null
  ended_at: string | null
}

export interface GateRecord {
  id: string
  step_id: string
  kind: GateKind
  status: GateStatus
  plan_hash: string
  required: Required
}

/** One transition of a run, written as one statement. */
export interface RunPatch {
  run_id: string
  fence?: number
  /** with a `fence`, only while that is the one that counts */
  take_fence?: boolean
  /** for what must be noted whoever holds the fence */
  any_fence?: boolean
  settle?: StepSettlement
  open?: StepOpening
  gate?: GateOpening
  run?: { status: RunStatus; status_reason?: string | null; outputs?: JsonObject; error?: JsonObject }
  events?: EventDraft[]
  audit?: AuditDraft[]
}

export interface StepSettlement {
  step_id: string
  ordinal: number
  state: StepState
  attempt: number
  outputs?: JsonObject
  error?: JsonObject
  simulation?: JsonObject
  message?: string
  /** what the attempt cost; without any of the three all that was reserved for it is charged */
  llm_micro_usd?: number
  gpu_micro_usd?: number
  storage_micro_usd?: number
  overrun_micro_usd?: number
  /** the attempt was never handed to its operator: its reservation is given back, and its number is free */
  unsent?: true
  artifacts?: {
    id: string
    name: string
    media_type: string
    size_bytes: number
    digest: string
    body_base64: string
  }[]
}

export interface StepOpening {
  step_id: string
  ordinal: number
  attempt: number
  plan_hash: string
  simulation?: JsonObject
  reserve_micro_usd: number
  /** what of it is for gpu and storage; the rest is for models */
  reserve_gpu_micro_usd?: number
  reserve_storage_micro_usd?: number
  /** the cap of a run that would begin now; where it is below the run's own, it counts */
  run_cap_micro_usd?: number
  daily_cap_micro_usd?: number
  /** over all environments of the workspace */
  workspace_daily_cap_micro_usd?: number
  budget_day?: string
  /** false while nobody's identity is checked; else those in whose name the run was asked for must still be allowed to start it */
  ask_standing?: boolean
}

export interface GateOpening {
  id: string
  step_id: string
  ordinal: number
  attempt: number
  kind: GateKind
  plan_hash: string
  required: Required
  view: JsonObject
  expires_at: string
  simulation?: JsonObject
}

export interface Recorded {
  fence: number
  last_seq: number
  status: RunStatus
  audit: OutboxEntry[]
}

export interface OutboxEntry {
  outbox_id: number
  draft_id: string
}

/** Why no step of a run may begin now: a halt covers it (null: its workspace is archived), or somebody in whose name it was asked for may not start it any more. */
export type OpeningRefusal =
  | { refused: 'halted'; halt_id: string | null }
  | { refused: 'standing_lost'; who: string; why: 'unknown' | 'not_active' | 'not_in_workspace' | 'role_taken' }

export type Refusal =
  | OpeningRefusal
  | { refused: 'not_found' | 'fenced' | 'cancelling' }
  | { refused: 'terminal'; status: RunStatus }
  | { refused: 'budget'; scope: 'run' | 'environment' | 'workspace'; cap_micro_usd: number; spent_micro_usd?: number }

/** How a gate ended; one that ended with its run has no more than the first three. */
export interface RecordedResolution {
  by: string
  channel: Channel
  cause: string | null
  note?: string | null
  asserted?: boolean
  approvals?: { have: number; need: number }
  decision_id?: string | null
}

/** What a decision about a gate writes. */
export interface GatePatch {
  run_id: string
  gate_id: string
  /** a vote, as the command that casts it */
  vote?: GateCommand
  approvals?: { have: number; need: number }
  resolution?: Exclude<GateStatus, 'open'>
  resolved?: RecordedResolution
  /** only when the gate's time is over */
  due?: boolean
  /** only when the votes and their voters are still those that were counted */
  expect?: { votes: number; people: string[]; versions: string[] }
  run?: { status: RunStatus; status_reason?: string; error?: JsonObject }
  events: EventDraft[]
  audit: AuditDraft[]
}

export type GateRecorded =
  | (Recorded & { resolved_at: string | null })
  | { refused: 'resolved'; status: GateStatus; resolved_at: string; resolution: RecordedResolution }
  | { refused: 'not_due'; remaining_ms: number }
  | { refused: 'not_found' | 'terminal' | 'changed' | 'overdue' }

/** Something that was refused, and how often. Of one kind, subject and person a minute has one record. */
export interface Refused {
  kind: string
  /** what is counted together has this subject; by default that of the draft */
  subject_id?: string
  draft: AuditDraft
  more: number
}

export interface Decidable {
  run_id: string
  workspace_id: string
  status: RunStatus
  lane: Lane
  environment: string
  /** of the gated operation */
  action_type: string | null
  provenance: JsonObject
  gate_id: string | null
  gate_status: GateStatus | null
  plan_hash: string | null
  required: Required | null
  /** votes so far on the open gate */
  votes: Vote[]
}

/** A run for whoever carries it on. With the fence 0 nobody has taken it yet: the first write does. */
export interface Taken {
  recorded: Pick<Recorded, 'fence'>
  head: RunHead
}
