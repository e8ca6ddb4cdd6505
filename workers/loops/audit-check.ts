import type { AuditProblem } from '#core/audit/problem.ts'
import type { LeaseToken } from '#core/lease/lease.ts'
import type { Log } from '#core/log.ts'
import { createLoop } from '#platform/program/create-loop.ts'
import type { LogCheck } from '#services/audit/log-check.ts'
import type { LedSink } from './audit-sequencer.ts'

export interface AuditCheckOptions {
  check: LogCheck
  /** the checkable part; undefined while this process does not write the chain */
  checkable(): { sink: LedSink; marked_to: number } | undefined
  onProblem(sink: LedSink, problem: AuditProblem): Promise<void>
  onPassed(seq: number, token: LeaseToken): Promise<void>
  log: Pick<Log, 'warn'>
  slice_every_ms?: number
  /** between two passes */
  rest_ms?: number
}

/**
 * Checks the log continually: the writer reads its own file again from the beginning, slice by slice, and compares it with the marks of the
 * database. Changes, cuts and replacements are found without a request.
 */
export function createAuditCheck(options: AuditCheckOptions) {
  const { check, checkable, onProblem, onPassed, log, slice_every_ms = 500, rest_ms = 5_000 } = options
  let checked: LedSink | undefined

  /** Answers how long to wait for the next slice. */
  async function slice(): Promise<number> {
    const now = checkable()
    if (now?.sink !== checked) check.restart()
    checked = now?.sink
    if (now === undefined) return rest_ms
    const found = await check.next(now.marked_to)
    if (found === undefined) return slice_every_ms
    // a result about a file that is not ours now is for its new writer to find
    if (checkable()?.sink !== now.sink) return slice_every_ms
    await ('problem' in found ? onProblem(now.sink, found.problem) : onPassed(found.passed, now.sink.lease.token))
    return rest_ms
  }

  const failed = 'the audit log was not checked'
  return createLoop({ first_ms: slice_every_ms, again_ms: rest_ms, failed, log }, slice)
}
