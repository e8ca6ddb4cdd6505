import type { AuditDraft } from '../audit/types.ts'
import type { RunPatch } from './patch.ts'

/** What one transition of a run writes, as values: its audit records get their ids and times where it is written. */
export interface Transition extends Pick<RunPatch, 'settle' | 'open' | 'gate' | 'run' | 'events' | 'let_go'> {
  audit?: AuditFacts[]
}

/** A record of the audit chain without what its run and the writer add. Without a subject it is about the run. */
export type AuditFacts = Pick<AuditDraft, 'category' | 'action' | 'data'> & Partial<Pick<AuditDraft, 'subject'>>
