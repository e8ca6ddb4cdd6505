import type { BrokenLink, ChainHead } from '#core/audit/chain.ts'
import { type AuditProblem, brokenRecord, disturbedLog, firstDifference } from '#core/audit/problem.ts'
import type { AuditOutbox } from '#store/audit/audit-outbox.ts'

interface Slice<Place> {
  records: ChainHead[]
  next: Place
  broken?: BrokenLink
  ended: boolean
}

export interface LogCheckOptions<Place extends { head: ChainHead }> {
  /** reads and verifies some of the file behind a place, nothing behind record `to_seq` */
  read(from: Place, to_seq: number): Promise<Slice<Place>>
  start: Place
  outbox: Pick<AuditOutbox, 'marks'>
}

export interface LogCheck {
  /** Checks the next slice of a pass over everything up to `marked_to`; `passed` when it was the last one. */
  next(marked_to: number): Promise<{ problem: AuditProblem } | { passed: number } | undefined>
  /** Checks everything up to there at once. */
  all(marked_to: number): Promise<AuditProblem | undefined>
  restart(): void
}

/** Passes over the whole log in slices, again and again, and holds it against the marks of the database. */
export function createLogCheck<Place extends { head: ChainHead }>(options: LogCheckOptions<Place>): LogCheck {
  const { read, start, outbox } = options
  let place = start
  /** end of this pass: later records belong to the next one */
  let target: number | undefined

  function restart(): void {
    place = start
    target = undefined
  }

  async function compare(to: number) {
    const slice = await read(place, to)
    const marks = await outbox.marks(place.head.seq, slice.next.head.seq)
    return { slice, problem: firstDifference(slice.records, marks) ?? fault(slice, to) }
  }

  async function next(markedTo: number) {
    target ??= markedTo
    if (place.head.seq < target) {
      // a problem stops every effect, so it has to be found twice
      let { slice, problem } = await compare(target)
      if (problem !== undefined) ({ slice, problem } = await compare(target))
      if (problem !== undefined) {
        restart()
        return { problem }
      }
      place = slice.next
    }
    if (place.head.seq < target) return undefined
    const passed = target
    restart()
    return { passed }
  }

  return {
    next,
    restart,
    async all(markedTo) {
      restart()
      for (;;) {
        const found = await next(markedTo)
        if (found !== undefined) return 'problem' in found ? found.problem : undefined
      }
    },
  }
}

function fault(
  { broken, ended, next: { head } }: Slice<{ head: ChainHead }>,
  target: number,
): AuditProblem | undefined {
  if (broken !== undefined) return brokenRecord(broken)
  return ended ? disturbedLog(head.seq + 1, `it ends at record ${head.seq}, and ${target} were written`) : undefined
}
