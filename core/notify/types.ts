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
  /** a test of a channel */
  | 'svc.test'

/** An answer that a service account gave in the recipient's name. */
export interface NoticeAnswer {
  /** by name */
  account: string
  decision: Decision
  note: string | null
  at: string
  gate: GateStatus
}

/** The end of a gate. */
export interface NoticeResolution {
  /** `approved`, `rejected`, `expired`, `cancelled` */
  status: string
  /** by name */
  by: string | null
  at: string | null
  note: string | null
}

/** The end of a run. */
export interface NoticeEnd {
  status: TerminalStatus
  at: string
  /** names of its approvers */
  approved_by: string[]
  /** the approved action succeeded; the run failed later */
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

/** The possible approvers of a gate, and its missing votes. */
export interface NoticeAsk {
  need: number
  have: number
  /** roles, one of which each must agree, with their holders by name */
  clauses: { any_of: string[]; people: string[]; met: boolean }[]
  /** names of possible approvers; empty where they are unknown */
  people: string[]
  prevent_self: boolean
  /** the open votes, in words; null before the first vote */
  missing: string | null
}

/** A notice about a gate or the end of a run; every channel formats it. */
export interface GateNotice {
  /** of the event, the same for every attempt to deliver it */
  id: string
  kind: NotificationKind
  /** time of the event */
  time: string
  /** time of this delivery attempt */
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
  /** the proposed action, in a word or two */
  action?: string
  summary: string
  plan_hash: string | null
  /** target and user of the step's connection */
  connection?: string
  /** models that may answer the step, and their endpoints */
  models?: string
  command?: string
  /** reasons for the gate, one sentence each */
  because: string[]
  /** by name */
  requested_by: string | null
  reason?: string
  /** the run that failed before, and why, where this one retries it */
  retry?: string
  ask?: NoticeAsk
  /** findings of earlier steps, one excerpt each */
  evidence?: { title: string; excerpt: string }[]
  dry_run?: boolean
  expires_at: string | null
  answered?: NoticeAnswer
  resolution?: NoticeResolution
  ended?: NoticeEnd
  /** the code that the page behind `links.approve` requires; a program that only follows links does not know it */
  code?: string
  /** `approve` is the magic link of this very recipient, absent where the rule forbids links */
  links: { approve?: string; console?: string; run: string; alert?: string }
}

/** A halt, as far as the readers of a channel may know it. */
export interface NoticeHalt {
  id: string
  /** what it covers, in words */
  covers: string
  reason: string
  /** by name */
  set_by: string
  since: string
  /** names of those who may lift it; empty where they are unknown */
  may_lift: string[]
  /** starts that it has refused, and what the first one is about */
  refused: { starts: number; first: string | null }
  lifted?: { by: string; at: string }
}

/** A notice about a halt: that it is set, what it has refused, or that it is lifted. */
export interface HaltNotice {
  /** of the event, the same for every attempt to deliver it */
  id: string
  kind: 'svc.halt.set' | 'svc.halt.refused' | 'svc.halt.lifted'
  time: string
  sent_at?: string
  workspace_id: string
  halt: NoticeHalt
  links: { console: string; approve?: undefined; run?: undefined; alert?: undefined }
}

/** What waits for one recipient, and what has become of it, where there is too much to send one by one. */
export interface NoticeDigest {
  id: string
  since: string
  /** `escalated`: so many of them were escalated to the recipient */
  waiting: { gates: number; risk: Risk | null; expires_at: string | null; escalated: number }
  /** the most urgent gates that wait */
  first: { title: string; alert?: NoticeAlert; environment: string; risk: Risk; expires_at: string }[]
  /** gates that are over, by status */
  answered: Partial<Record<GateStatus, number>>
  /** runs that have ended, by status */
  ended: Partial<Record<TerminalStatus, number>>
  /** what failed last, by its problem */
  failed: string[]
}

/** A message of a digest, or a change of the one that was sent. It has no link that decides anything. */
export interface DigestNotice {
  /** of the event, the same for every attempt to deliver it */
  id: string
  kind: 'svc.digest.sent' | 'svc.digest.changed'
  time: string
  sent_at?: string
  workspace_id: string
  digest: NoticeDigest
  /** the queue of gates, with a search for them */
  links: { console: string; approve?: undefined; run?: undefined; alert?: undefined }
}

/** What was authorised for a connection, as its owner is told of it. */
export interface NoticeConnection {
  id: string
  name: string
  /** why it is not active */
  detail: string | null
  since: string
  /** when the access token ends; null where the provider does not say */
  expires_at: string | null
}

/** A notice about a connection: its authorisation has failed, is unknown, or ends. It says nothing that is secret. */
export interface ConnectionNotice {
  /** of the event, the same for every attempt to deliver it */
  id: string
  kind: 'svc.connection.failed' | 'svc.connection.unknown' | 'svc.connection.ends'
  time: string
  sent_at?: string
  workspace_id: string
  connection: NoticeConnection
  links: { console: string; approve?: undefined; run?: undefined; alert?: undefined }
}

/** What channels send. */
export type Notice = GateNotice | HaltNotice | DigestNotice | ConnectionNotice

export function isAboutRun(notice: Notice): notice is GateNotice {
  return 'run_id' in notice
}

/** The words of a notice, cleaned for people; each channel only sets them in its own markup. */
export interface NoticeMessage {
  /** the problem, its place and severity, the proposal or outcome, and the deadline */
  title: string
  /** the planned action, or its end */
  summary: string
  /** the answer, the end of the gate or the run, or the failure that the run of an open gate retries */
  outcome?: string
  note?: string
  facts: { label: string; value: string }[]
  command?: string
  because: string[]
  evidence: { title: string; excerpt: string }[]
  /** lines of a digest */
  listed?: string[]
}

/** Outcome of one attempt. `reference` identifies the sent message, so that a later notice joins or replaces it. */
export type SendResult =
  | { ok: true; reference?: JsonObject }
  | { ok: false; retryable: boolean; detail: string; retry_after_ms?: number }

/** Members of a run's record that messages about it use. */
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
