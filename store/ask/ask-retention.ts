import type { Db } from '../db.ts'
import { inBatches } from '../sql/in-batches.ts'

/** No answer takes longer. */
const ANSWERED_WITHIN_H = 1

/**
 * Forgets threads in which nothing was asked for so long, with their turns; the audit log keeps that they were answered. One that is being
 * answered stays. Answers how many.
 */
export function purgeAskThreads(db: Db, retention_ms: number): Promise<number> {
  return inBatches(
    (limit) => db`
      delete from ask_threads where id = any(array(
        select id from ask_threads t where last_turn_at < now() - make_interval(secs => ${retention_ms / 1_000})
          and not exists (select from model_calls c where c.workspace_id = t.workspace_id and c.ask_thread_id = t.id
            and c.created_at > now() - ${ANSWERED_WITHIN_H} * interval '1 hour')
        order by last_turn_at limit ${limit}))`,
  )
}
