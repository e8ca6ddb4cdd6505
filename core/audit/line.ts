import type { AuditDraft } from './types.ts'

/** A draft that waits in the outbox for its place in the chain. */
export interface LinedUp {
  outbox_id: number
  draft: AuditDraft
}

/** The way from the outbox to the sink. Resolves when every given draft is durable in the chain; rejects when that is not certain. */
export interface AuditLine {
  acknowledged(drafts: LinedUp[]): Promise<void>
}
