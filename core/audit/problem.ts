import { DomainError } from '../errors.ts'
import type { BrokenLink, ChainHead } from './chain.ts'

/** A difference between the audit log and the database. While it lasts, nothing acts. */
export interface AuditProblem {
  /**
   * `broken`: the chain is broken. `differs`: a record differs from the database's. `unknown`: the database does not have it. `missing`:
   * the log lacks records that the database cannot restore. `disturbed`: another program cut, moved or wrote the file.
   */
  kind: 'broken' | 'differs' | 'unknown' | 'missing' | 'disturbed'
  /** the first record that is concerned */
  seq: number
  /** what was found, and what an operator can do about it */
  detail: string
}

const REWRITE = 'Keep the file as evidence; once it is moved away, it is written again from the database.'
const ACCEPT = 'If the file is right, take them over with `svc audit accept --reason "…"`.'

export const brokenRecord = ({ seq, kind, detail }: BrokenLink): AuditProblem => ({
  kind: 'broken',
  seq,
  detail: `The audit log is broken at record ${seq} (${kind}: ${detail}). ${REWRITE}`,
})

export const differingRecord = (seq: number): AuditProblem => ({
  kind: 'differs',
  seq,
  detail: `Record ${seq} of the audit log is not the one that the database has. ${REWRITE}`,
})

export const unknownRecords = (from: number, to: number): AuditProblem => ({
  kind: 'unknown',
  seq: from,
  detail: `The audit log holds records ${from} to ${to}, and the database does not have record ${from}: the database was restored from an older copy, or something else wrote to the file. ${ACCEPT} If not: ${REWRITE}`,
})

export const missingRecords = (head: ChainHead, to: number, seq: number): AuditProblem => ({
  kind: 'missing',
  seq,
  detail: `The audit log ends at record ${head.seq} of ${to}, and the database no longer has record ${seq} as it was written. Put the file back from a backup.`,
})

export const disturbedLog = (seq: number, what: string): AuditProblem => ({
  kind: 'disturbed',
  seq,
  detail: `The audit log was changed under the service: ${what}.`,
})

/** Returns the error for a problem. */
export const auditRefusal = (problem: AuditProblem, options?: ErrorOptions): DomainError =>
  new DomainError('audit_unavailable', problem.detail, { audit_problem: problem }, options)

/** The problem behind a refusal; undefined when it has other reasons, such as a full disk. */
export const problemIn = (error: unknown): AuditProblem | undefined => {
  for (let each = error; each instanceof Error; each = each.cause) {
    if (each instanceof DomainError && each.details['audit_problem'] !== undefined)
      return each.details['audit_problem'] as AuditProblem
  }
  return undefined
}

/** The first record of the file that the database has differently, or not at all; both from the same number on. */
export const firstDifference = (
  stored: readonly ChainHead[],
  marks: ReadonlyMap<number, string>,
): AuditProblem | undefined => {
  const found = stored.find(({ seq, hash }) => marks.get(seq) !== hash)
  if (found === undefined) return undefined
  return marks.has(found.seq) ? differingRecord(found.seq) : unknownRecords(found.seq, stored.at(-1)?.seq ?? found.seq)
}
