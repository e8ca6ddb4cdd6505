import type { AuditDraft } from '#core/audit/types.ts'
import type { Lane } from '#core/contract.ts'
import type { JsonObject } from '#core/json/json.ts'
import type { Plan } from '#core/plan/types.ts'
import type { Risk } from '#core/policy/types.ts'
import type { AlertRecord } from '#core/trigger/alert-record.ts'

/** An alert of a run: its member, and its stored parts if they have changed. */
export interface AttachedAlert {
  delivery_id: string
  member: string
  /** when it fired, if its sender tells */
  at?: string
  digest?: string
  state?: AlertRecord
}

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
  /** the alert that started it */
  alert?: AlertRecord
  alerts: AttachedAlert[]
  /** limits of starts per fingerprint; durations in milliseconds */
  limits?: StartLimits
  cap_micro_usd: number
  actor: JsonObject
  audit: AuditDraft
}

/** Limits of starts per fingerprint: this many within a period, and none for some time after the last one ended. */
export interface StartLimits {
  max_runs?: { count: number; per: number } | undefined
  cooldown?: number | undefined
}

/** Alerts that may attach to the active run of their fingerprint, and start none. */
export interface AttachRequest {
  workspace_id: string
  fingerprint: string
  /** the only run that they may attach to, where its record is known */
  run_id?: string | undefined
  alerts: RunDraft['alerts']
}
