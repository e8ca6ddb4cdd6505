import type { AuditDraft } from './types.ts'

/** A draft that waits in the outbox for its place in the chain. */
export interface QueuedDraft {
  outbox_id: number
  draft: AuditDraft
}

/** The way from the outbox to the sink. */
export interface AuditLine {
  /** Hands over what was committed, so that it need not be read back. Nobody waits. */
  offer(drafts: QueuedDraft[]): void
  /** Resolves when these rows are durable in the chain; rejects when that is not certain. */
  acknowledged(outboxIds: number[]): Promise<void>
}
