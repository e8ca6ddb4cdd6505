import type { Db } from '../db.ts'

export interface SubscriberHealth {
  subscriber: string
  /** messages of the log that it has not passed yet; of several places of one name, the last */
  behind: number
  /** messages that were put aside because it could not handle them */
  dead_letters: number
}

/** The health of the durable bus. */
export interface BusHealth {
  /** messages that have no number yet */
  waiting: number
  subscribers: SubscriberHealth[]
}

/** Reads the outbox, the cursors and the dead letters; of subscribers and dead letters only those that `workspace_id` may see. */
export async function busHealth(db: Db, workspace_id: string | '*'): Promise<BusHealth> {
  const [[outbox], subscribers] = await Promise.all([
    db<{ waiting: number }[]>`select count(*) as waiting from bus_outbox`,
    db<SubscriberHealth[]>`
      with place as (
        select c.subscriber, max(h.last_id - c.last_id) as behind from bus_cursors c cross join bus_head h
        where ${workspace_id} = '*' or c.workspace_id in ('*', ${workspace_id}) group by c.subscriber
      ), dead as (
        select subscriber, count(*) as letters from bus_dead_letters
        where ${workspace_id} in ('*', workspace_id) group by subscriber
      )
      select subscriber, coalesce(behind, 0) as behind, coalesce(letters, 0) as dead_letters
      from place full join dead using (subscriber) order by subscriber`,
  ])
  return { waiting: outbox?.waiting ?? 0, subscribers }
}
