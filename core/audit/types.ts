import type { ActorType, AuthMethod } from '../actor.ts'
import type { JsonObject } from '../json/json.ts'

export const AUDIT_CATEGORIES = [
  'model_call',
  'gated_operation',
  'approval',
  'policy_decision',
  'lineage',
  'expiry',
  'ask',
  'trigger',
  'config',
  'auth',
  'admin',
  'sink',
] as const
export type AuditCategory = (typeof AUDIT_CATEGORIES)[number]

export interface AuditActor {
  type: ActorType
  id: string
  auth: AuthMethod
  ip?: string
}

/** An audit record before it has a `seq`. */
export interface AuditDraft {
  id: string
  ts: string
  category: AuditCategory
  /** `noun.verb_past`, for example `gate.decided` */
  action: string
  workspace_id: string
  actor: AuditActor
  channel?: string
  run_id?: string
  subject: { type: string; id: string }
  data: JsonObject
  /** the request that does it, where it has an `Idempotency-Key`; the database marks the key with it, and keeps it out of the record */
  attempt?: { id: string; turn: string }
}

/** The hashed part of a record: `{v, seq, …draft}`. Everything that matters lies inside it. */
export interface AuditEvent extends AuditDraft {
  v: 1
  seq: number
}

/** `hash` = lower-case hex of sha256( utf8(prev_hash) || utf8(JCS(event)) ), JCS = RFC 8785; genesis `prev_hash` = 64 zeros. */
export interface AuditRecord {
  seq: number
  hash: string
  prev_hash: string
  event: AuditEvent
}

/** The swappable binding `audit.sink`: appends drafts in order, durable (fsync) when the promise resolves. */
export interface AuditSink {
  /** Appends in the order given and answers with the records as chained. Rejects when durability is not certain. */
  append(drafts: AuditDraft[]): Promise<AuditRecord[]>
  /** Makes the log writable again after a failure, or after others have appended to it; answers where it ends. */
  ready(): Promise<{ seq: number; hash: string }>
  /** Records of the chain after `seq`, in order, at most `limit`; `id` is that of the draft. */
  idsAfter(seq: number, limit?: number): Promise<{ id: string; seq: number; hash: string }[]>
  head(): { seq: number; hash: string }
  healthy(): boolean
  close(): Promise<void>
}

/** A draft that waits in the outbox for its place in the chain. */
export interface QueuedDraft {
  outbox_id: number
  draft: AuditDraft
}

/** The way from the outbox to the sink. */
export interface AuditLine {
  /** Offers committed records, so that they are chained now. The caller does not wait. */
  offer(drafts: QueuedDraft[]): void
  /** Resolves when these rows are durable in the chain; rejects when that is not certain. */
  acknowledged(outboxIds: number[]): Promise<void>
}
