import type { AuditDraft } from '../audit/types.ts'
import type { GateCommand } from '../contract.ts'
import type { Channel, GateKind, GateStatus, Required } from '../gate/types.ts'
import type { JsonObject } from '../json/json.ts'
import type { RemoteJobSpec } from '../remote-job/contract.ts'
import type { EventDraft } from './event.ts'
import type { ShownData } from './shown-data.ts'
import type { RunStatus, StepState } from './status.ts'

/** One write of a run, as one statement: a transition, and with it the settlement that was kept before. */
export interface RunPatch {
  run_id: string
  fence?: number
  /** with a `fence`, only while that is the one that counts */
  take_fence?: boolean
  /** for what must be noted with any fence */
  any_fence?: boolean
  /** counts this execution as a possible crash until it ends or releases the run */
  claim?: boolean
  /** the execution releases the run: its process lives, and another execution goes on */
  let_go?: boolean
  settle?: StepSettlement
  open?: StepOpening
  gate?: GateOpening
  run?: {
    status: RunStatus
    status_reason?: string | null
    outputs?: JsonObject
    error?: JsonObject
    /** somebody is to hear of this success; of every other end, who hears is asked when it is told */
    tell?: boolean
  }
  events?: EventDraft[]
  audit?: AuditDraft[]
}

/** A settlement that is written with the next transition of its run. */
export type PendingSettlement = Pick<RunPatch, 'events' | 'audit'> & { settle: StepSettlement }

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
  artifacts?: StoredArtifact[]
}

/** A file that a step leaves: its content goes into the database with the settlement, or has been put in a bucket before. */
export type StoredArtifact = {
  id: string
  name: string
  media_type: string
  size_bytes: number
  digest: string
} & ({ body_base64: string } | { object: StoredObject })

/** An object in a bucket: the name of a connection of the console, and a key. */
export interface StoredObject {
  connection: string
  key: string
}

export interface StepOpening {
  step_id: string
  ordinal: number
  attempt: number
  /** the attempt before never ended: its process did */
  again?: boolean
  plan_hash: string
  /** as approvers are shown it */
  inputs?: ShownData
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
  /** an external worker does it */
  remote_job?: RemoteJobOpening
  /** false while nobody's identity is checked; else those in whose name the run was asked for must still be allowed to start it */
  ask_standing?: boolean
}

/** A remote job as it is opened with its attempt. */
export interface RemoteJobOpening {
  id: string
  queue: string
  input_digest: string
  /** public key by which its result has to be signed */
  attest: string | null
  idempotent: boolean
  result_schema: JsonObject
  spec: RemoteJobSpec
  /** how long its run waits for it */
  deadline_ms: number
}

export interface GateOpening {
  id: string
  step_id: string
  ordinal: number
  attempt: number
  kind: GateKind
  plan_hash: string
  inputs?: ShownData
  required: Required
  view: JsonObject
  expires_at: string
  simulation?: JsonObject
}

/** How a gate ended; one that ended with its run has no more than the first three. */
export interface RecordedResolution {
  by: string
  channel: Channel
  cause: string | null
  note?: string | null
  asserted?: boolean
  approvals?: { have: number; need: number }
  decision_id?: string | null
  /** the decisions that an approval rests on */
  counted?: string[]
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

/** Something that was refused, and how often. Of one kind, subject and person a minute has one record. */
export interface Refused {
  kind: string
  /** what is counted together has this subject; by default that of the draft */
  subject_id?: string
  draft: AuditDraft
  more: number
  /** those after the first are not counted */
  once?: true
}

/** What every write that takes a run says of it, by itself or with the run's first opening: both begin it alike. */
export const TAKING = {
  take_fence: true,
  claim: true,
  run: { status: 'running', status_reason: null },
  events: [{ key: 'run/started', type: 'run.started' }],
} satisfies Partial<RunPatch>

/** One transition of a run, as values. Its audit records get their ids and times when it is written. */
export interface Transition extends Pick<RunPatch, 'settle' | 'open' | 'gate' | 'run' | 'events' | 'let_go'> {
  audit?: AuditFacts[]
}

/** A record of the audit chain without what its run and the writer add. Without a subject it is about the run. */
export type AuditFacts = Pick<AuditDraft, 'category' | 'action' | 'data'> & Partial<Pick<AuditDraft, 'subject'>>
