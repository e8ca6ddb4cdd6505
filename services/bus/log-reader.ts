import type { LogPage } from '#core/bus/subscription.ts'
import type { BusReads } from '#store/bus/bus-reads.ts'
import type { BusPosition } from './bus-position.ts'

const FIRST_PAGE = 500
/** For a reader that is far behind. */
const FULL_PAGE = 2_000
/** A gap this short is read through, matching or not. */
const SHORT = 50

export interface LogReaderDeps {
  reads: Pick<BusReads, 'page'>
  position: Pick<BusPosition, 'head' | 'topics'>
  matches: (topic: string) => boolean
  workspace_id: string
}

/**
 * Reads what one subscriber wants: straight through the log where most of it is wanted, topic by topic where little is, so
 * that it costs what it delivers. Which of them is better is seen from the page before.
 */
export function createLogReader({ reads, position, matches, workspace_id }: LogReaderDeps) {
  let dense = false
  let limit = FIRST_PAGE

  return async (after: number): Promise<LogPage> => {
    const head = position.head()
    const known = position.topics()
    const wanted = [...known].filter(matches)
    const topics = wanted.length === known.size ? 'all' : wanted
    const everything = topics === 'all' && workspace_id === '*'
    const through = everything || dense || head - after <= SHORT ? 'log' : 'topics'
    const to = through === 'log' && !everything ? Math.min(head, after + limit) : head
    const rows = await reads.page({ after, to, topics, workspace_id, limit, through })
    const last = rows.at(-1)
    const full = last !== undefined && rows.length === limit
    const end = full ? last.id : to
    dense = rows.length > (end - after) * (dense ? 0.2 : 0.4)
    limit = end < head ? FULL_PAGE : FIRST_PAGE
    return { rows, end }
  }
}
