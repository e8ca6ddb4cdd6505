import type { AuditProblem } from '#core/audit/problem.ts'
import type { AuditDraft } from '#core/audit/types.ts'
import type { LeaseToken } from '#core/lease/lease.ts'
import { asJson, type Db } from '../db.ts'

/** The state of the audit log's file. */
export interface AuditFileState {
  /** its problem, with advice; null for none */
  problem: string | null
  problem_seq: number | null
  findings: number
  /** the record up to which it was last read and compared from its beginning, and how long ago */
  passed_seq: number | null
  passed_age_s: number | null
}

/** One row for all processes, which outlives them: a problem lasts until the whole file was found sound. Only the leader writes it. */
export function createAuditFile(db: Db) {
  return {
    async read(): Promise<AuditFileState> {
      const [row] = await db<AuditFileState[]>`
        select problem, problem_seq, findings, passed_seq,
          extract(epoch from now() - passed_at)::float8 as passed_age_s from audit_file`
      return row ?? { problem: null, problem_seq: null, findings: 0, passed_seq: null, passed_age_s: null }
    },

    /** Notes a problem with its record in the chain; false when it was known. */
    async found({ detail, seq }: AuditProblem, draft: AuditDraft, { name, epoch }: LeaseToken): Promise<boolean> {
      const rows = await db`
        with changed as (
          update audit_file set problem = ${detail}, problem_seq = ${seq}, found_at = now(), findings = findings + 1
          where (select require_lease(${name}, ${epoch})) and problem is distinct from ${detail} returning one
        )
        select append_audit(${db.json(asJson([draft]))}) from changed`
      return rows.length > 0
    },

    /** Notes that the file equals the database, from its beginning up to this record. */
    async passed(seq: number, { name, epoch }: LeaseToken): Promise<void> {
      await db`
        update audit_file set problem = null, problem_seq = null, passed_seq = ${seq}, passed_at = now()
        where (select require_lease(${name}, ${epoch}))`
    },
  }
}

export type AuditFile = ReturnType<typeof createAuditFile>
