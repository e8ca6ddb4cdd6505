import type { JsonObject } from '../json.ts'
import type { Risk } from '../policy/types.ts'

export type NotificationKind =
  | 'svc.gate.opened'
  | 'svc.gate.reminder'
  | 'svc.gate.escalated'
  | 'svc.gate.resolved'
  | 'svc.run.failed'

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

/** `env:NAME` or `file:path`; of a list, the first signs and all verify. */
export type SecretReferences = string | string[]

export interface WebhookChannel {
  name: string
  kind: 'webhook'
  url: string
  secret: SecretReferences
}

export interface SlackChannel {
  name: string
  kind: 'slack'
  /** name (`#ops`) or id of the conversation */
  channel: string
  token: string
  signing_secret: SecretReferences
  /** base of the Web API of a self-hosted gateway */
  api_url?: string
}

export interface EmailChannel {
  name: string
  kind: 'email'
  /** `smtp://host:port`, or `smtps://` for TLS from the first byte */
  smtp: string
  from: string
  to: string[]
  username?: string
  password?: string
}

/** One entry of `channels.yaml`. */
export type ChannelConfig = WebhookChannel | SlackChannel | EmailChannel

/** One addressee of a channel: host of the webhook, conversation in Slack, one mail address. */
export interface Recipient {
  channel: string
  address: string
}

/** Outcome of one attempt. `reference` names what was sent, so that a later notice joins or replaces it. */
export type Delivery =
  | { ok: true; reference?: JsonObject }
  | { ok: false; retryable: boolean; detail: string; retry_after_ms?: number }
