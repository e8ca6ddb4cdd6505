import type { ChainHead, Sha256 } from '#core/audit/chain.ts'
import type { AuditProblem } from '#core/audit/problem.ts'
import type { AuditSink } from '#core/audit/types.ts'
import type { Ids } from '#core/id.ts'
import type { JsonObject } from '#core/json/json.ts'
import type { LeaseToken } from '#core/lease/lease.ts'
import type { Clock } from '#core/time/time.ts'
import type { AuditFile } from '#store/audit/audit-file.ts'
import type { AuditOutbox } from '#store/audit/audit-outbox.ts'
import { sinkDraft } from './accept-log.ts'
import { findLateWrite } from './late-write.ts'
import type { LogCheck } from './log-check.ts'
import { settleLog } from './settle-log.ts'

export interface LogKeeperDeps {
  outbox: AuditOutbox
  file: AuditFile
  check: LogCheck
  sha256: Sha256
  ids: Ids
  clock: Clock
}

/** Decides whether a log may be written to, and records why not. */
export interface LogKeeper {
  /** Returns the problem that forbids writing to this log; undefined for none. */
  settle(sink: AuditSink, token: LeaseToken): Promise<AuditProblem | undefined>
  /** Notes a problem, for the chain too; false when it was known. */
  found(problem: AuditProblem, token: LeaseToken): Promise<boolean>
  /** Tells whether bytes behind the end of the log are a late write of an earlier writer; if so, cutting them is recorded. */
  isLateWrite(bytes: Uint8Array, head: ChainHead, token: LeaseToken): Promise<boolean>
}

/** A recorded problem ends only when the whole file was found sound: its end alone proves nothing. */
export function createLogKeeper({ outbox, file, check, sha256, ids, clock }: LogKeeperDeps): LogKeeper {
  const draft = (action: `sink.${string}`, data: JsonObject) => sinkDraft({ ids, clock }, action, data)
  return {
    async settle(sink, token) {
      const problem = await settleLog({ outbox, token, sha256, draft }, sink)
      if (problem !== undefined) return problem
      if ((await file.read()).problem === null) return undefined
      const { seq } = sink.head()
      const remaining = await check.all(seq)
      if (remaining === undefined) await file.passed(seq, token)
      return remaining
    },

    found(problem, token) {
      const { kind, seq, detail } = problem
      return file.found(problem, draft('sink.refused', { kind, seq, detail }), token)
    },

    async isLateWrite(bytes, head, token) {
      const late = await findLateWrite({ outbox, sha256 }, bytes, head)
      if (late === undefined) return false
      await outbox.appendOnce(draft('sink.cut', { after_seq: head.seq, ...late }), token)
      return true
    },
  }
}
