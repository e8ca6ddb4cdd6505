import type { Sha256 } from '#core/audit/chain.ts'
import type { AuditProblem } from '#core/audit/problem.ts'
import type { AuditSink } from '#core/audit/types.ts'
import type { Ids } from '#core/id.ts'
import type { Clock } from '#core/time.ts'
import type { AuditFile } from '#store/audit-file.ts'
import type { AuditOutbox } from '#store/audit-outbox.ts'
import type { LogCheck } from './log-check.ts'
import { settleLog } from './settle-log.ts'
import { sinkDraft } from './sink-draft.ts'

export interface LogKeeperDeps {
  outbox: AuditOutbox
  file: AuditFile
  check: LogCheck
  sha256: Sha256
  ids: Ids
  clock: Clock
}

/** Says whether a log may be written to, and keeps on record why not. */
export interface LogKeeper {
  /** What forbids writing to this log; undefined when nothing does. */
  settle(sink: AuditSink): Promise<AuditProblem | undefined>
  /** Notes a problem, for the chain too; false when it was known. */
  found(problem: AuditProblem): Promise<boolean>
}

/** A problem that is on record is over only when the whole file was found sound: the end of it alone proves nothing. */
export function createLogKeeper({ outbox, file, check, sha256, ids, clock }: LogKeeperDeps): LogKeeper {
  return {
    async settle(sink) {
      const problem = await settleLog(
        { outbox, sha256, draft: (action, data) => sinkDraft({ ids, clock }, action, data) },
        sink,
      )
      if (problem !== undefined) return problem
      if ((await file.read()).problem === null) return undefined
      const { seq } = sink.head()
      const remaining = await check.all(seq)
      if (remaining === undefined) await file.passed(seq)
      return remaining
    },

    found(problem) {
      const { kind, seq, detail } = problem
      return file.found(problem, sinkDraft({ ids, clock }, 'sink.refused', { kind, seq, detail }))
    },
  }
}
