import type { GateCommand, Lane } from '#core/contract.ts'
import type { GateKind, GateStatus, Required } from '#core/gate/types.ts'
import type { JsonObject } from '#core/json/json.ts'
import type { RecordedResolution } from '#core/run/patch.ts'
import type { RunStatus, StepState } from '#core/run/status.ts'

export interface Admitted {
  run_id: string
  started: boolean
  status: RunStatus
  attached_count: number
}

/** No run was started and none is active: the limits allow the next one at this time. */
export interface Throttled {
  started: false
  throttled_until: string
  run_id?: never
}

/** The facts of its run that an execution needs. */
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
  /** processes that crashed at its next step */
  processes_ended: number
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
  /** the parts that it covers; null when its view does not say */
  covers?: Record<string, { title: string; digest: string; text?: string }> | null
  required: Required
  /** votes with names, for readers of a report; counted elsewhere */
  votes?: GateVote[]
}

interface GateVote {
  by: string
  decision: string
  at: string
  note: string
}

/** A vote of an earlier run on a step that a retry has taken over. */
export interface VoteTakenOver extends GateVote {
  step: string
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

/** Why no step of a run may begin now: a halt covers it (null: its workspace is archived), or one of its requesters lost their authority. */
export type OpeningRefusal =
  | { refused: 'halted'; halt_id: string | null }
  | { refused: 'standing_lost'; who: string; why: LostAuthority }

export type LostAuthority = 'unknown' | 'not_active' | 'not_in_workspace' | 'role_taken' | 'key_revoked' | 'key_expired'

/** Another attempt has the run. */
export interface Fenced {
  refused: 'fenced'
}

export type Refusal =
  | OpeningRefusal
  | { refused: 'not_found' | 'fenced' | 'cancelling' }
  | { refused: 'terminal'; status: RunStatus }
  | {
      refused: 'budget'
      scope: 'run' | 'environment' | 'workspace' | 'pipeline'
      cap_micro_usd: number
      spent_micro_usd?: number
    }

export type GateRecorded =
  | (Recorded & { resolved_at: string | null })
  | { refused: 'resolved'; status: GateStatus; resolved_at: string; resolution: RecordedResolution }
  | { refused: 'not_due'; remaining_ms: number }
  | { refused: 'not_found' | 'terminal' | 'changed' | 'overdue' }

export interface Decidable {
  run_id: string
  workspace_id: string
  status: RunStatus
  lane: Lane
  environment: string
  /** of the gated operation */
  action_type: string | null
  provenance: JsonObject
  /** time of the run's request, by the database clock */
  asked_at: string
  gate_id: string | null
  gate_status: GateStatus | null
  plan_hash: string | null
  required: Required | null
  /** recorded answers of the last opened gate */
  answers: AnswerRow[]
}

/** A taken run. With the fence 0 it was only read: the first write takes it. */
export interface Taken {
  recorded: Pick<Recorded, 'fence'>
  head: RunHead
}

export interface AnswerRow {
  decision_id: string
  by: string
  decision: 'approve' | 'reject'
  /** null: it did not come through the one writer, and counts only while authentication is off */
  command: GateCommand | null
  approvals: { have: number; need: number } | null
}
