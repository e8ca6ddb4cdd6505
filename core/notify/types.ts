import type { JsonObject } from '../json.ts'
import type { Risk } from '../policy/types.ts'

export type NotificationKind =
  | 'svc.gate.opened'
  | 'svc.gate.reminder'
  | 'svc.gate.escalated'
  | 'svc.gate.resolved'
  | 'svc.run.failed'
  /** somebody wants to know whether a channel works */
  | 'svc.test'

/** How a gate ended. */
export interface NoticeResolution {
  /** `approved`, `rejected`, `expired`, `cancelled` */
  status: string
  by: string | null
  at: string | null
  note: string | null
}

/** What people are told about a gate or a failed run; the body of every channel is made of it. */
export interface GateNotice {
  /** of the event, the same for every attempt to deliver it */
  id: string
  kind: NotificationKind
  time: string
  workspace_id: string
  run_id: string
  gate_id: string | null
  step: string | null
  template: string
  environment: string
  risk: Risk
  summary: string
  plan_hash: string | null
  /** where the connection of the step leads and as whom */
  connection?: string
  command?: string
  /** why a person is asked, one reason each */
  because: string[]
  requested_by: string | null
  expires_at: string | null
  resolution?: NoticeResolution
  /** what the page behind `links.approve` asks for, and nothing that only follows links can know */
  code?: string
  /** `approve` is the magic link of this very recipient, absent where the rule forbids links */
  links: { approve?: string; console?: string; run: string }
}

/** Outcome of one attempt. `reference` names what was sent, so that a later notice joins or replaces it. */
export type Delivery =
  | { ok: true; reference?: JsonObject }
  | { ok: false; retryable: boolean; detail: string; retry_after_ms?: number }
