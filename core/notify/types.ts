import type { Decision, GateStatus } from '../gate/types.ts'
import type { JsonObject } from '../json/json.ts'
import type { Risk } from '../policy/types.ts'
import type { TerminalStatus } from '../run/status.ts'
import type { AlertRecord } from '../trigger/alert-record.ts'

export type NotificationKind =
  | 'svc.gate.opened'
  | 'svc.gate.reminder'
  | 'svc.gate.escalated'
  | 'svc.gate.answered_for_you'
  | 'svc.gate.resolved'
  | `svc.run.${TerminalStatus}`
  /** somebody wants to know whether a channel works */
  | 'svc.test'

/** What a service account has answered in the name of the person who is told. */
export interface NoticeAnswer {
  /** by name */
  account: string
  decision: Decision
  note: string | null
  at: string
  /** what has become of the gate */
  gate: GateStatus
}

/** How a gate ended. */
export interface NoticeResolution {
  /** `approved`, `rejected`, `expired`, `cancelled` */
  status: string
  /** by name */
  by: string | null
  at: string | null
  note: string | null
}

/** How a run ended. */
export interface NoticeEnd {
  status: TerminalStatus
  at: string
  /** who approved what it did, by name */
  approved_by: string[]
  /** what was approved has been done; the run failed later */
  acted?: true
  error: { code: string; message: string; step: string | null } | null
}

/** The alert that started a run, as far as a message shows it. */
export interface NoticeAlert {
  title: string
  severity: string
  service: string
  source: string
  description?: string
  link?: string
}

/** Who may answer a gate, and what it lacks. */
export interface NoticeAsk {
  need: number
  have: number
  /** roles of which one each must agree, with anyone who has them, by name */
  clauses: { any_of: string[]; people: string[]; met: boolean }[]
  /** who may approve at all, by name; empty where nobody is known */
  people: string[]
  prevent_self: boolean
  /** what the votes leave open, in words; null before the first one */
  missing: string | null
}

/** What people are told about a gate or the end of a run; the body of every channel is made of it. */
export interface GateNotice {
  /** of the event, the same for every attempt to deliver it */
  id: string
  kind: NotificationKind
  /** when it happened */
  time: string
  /** when this attempt tells it */
  sent_at?: string
  workspace_id: string
  run_id: string
  gate_id: string | null
  step: string | null
  template: string
  /** the template's title */
  title?: string
  environment: string
  environment_class?: string
  risk: Risk
  alert?: NoticeAlert
  /** what is proposed, in a word or two */
  action?: string
  summary: string
  plan_hash: string | null
  /** where the connection of the step leads and as whom */
  connection?: string
  /** the models that may answer the step, and where they are asked */
  models?: string
  command?: string
  /** why a person is asked, one reason each */
  because: string[]
  /** by name */
  requested_by: string | null
  reason?: string
  ask?: NoticeAsk
  /** what was found before, one excerpt a step */
  evidence?: { title: string; excerpt: string }[]
  dry_run?: boolean
  expires_at: string | null
  answered?: NoticeAnswer
  resolution?: NoticeResolution
  ended?: NoticeEnd
  /** what the page behind `links.approve` asks for, and nothing that only follows links can know */
  code?: string
  /** `approve` is the magic link of this very recipient, absent where the rule forbids links */
  links: { approve?: string; console?: string; run: string; alert?: string }
}

/** Outcome of one attempt. `reference` names what was sent, so that a later notice joins or replaces it. */
export type Delivery =
  | { ok: true; reference?: JsonObject }
  | { ok: false; retryable: boolean; detail: string; retry_after_ms?: number }

/** What every message about a run takes from its record. */
export interface RunOnRecord {
  run_id: string
  workspace_id: string
  pack: string
  template: string
  /** the template's title */
  title: string
  environment: string
  environment_class: string
  risk: Risk
  dry_run: boolean
  provenance: JsonObject
  /** the alert that started the run */
  alert: AlertRecord | null
}
