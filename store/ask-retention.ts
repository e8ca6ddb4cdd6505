import type { Db } from './db.ts'
import { inBatches } from './in-batches.ts'

/** Forgets threads in which nothing was asked for so long, with their turns; the audit log keeps that they were answered. Answers how many. */
export function purgeAskThreads(db: Db, retention_ms: number): Promise<number> {
  return inBatches(
    (limit) => db`
      delete from ask_threads where id = any(array(
        select id from ask_threads where last_turn_at < now() - make_interval(secs => ${retention_ms / 1_000})
        order by last_turn_at limit ${limit}))`,
  )
}
