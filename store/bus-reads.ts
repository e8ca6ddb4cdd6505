import type { CloudEvent } from '#core/bus/cloud-event.ts'
import type { Db } from './db.ts'

export interface BusRow {
  id: number
  topic: string
  workspace_id: string
  event: CloudEvent
}

export interface CursorName {
  subscriber: string
  /** `*` for all workspaces */
  workspace_id: string
}

export interface Cursor {
  last_id: number
  /** up to here a subscriber that was lost may have handled messages without saying so */
  reading_to: number
}

/** The reading side of the durable bus. Readers go by the log's own numbers, which never commit out of order. */
export function createBusReads(db: Db) {
  return {
    /** The newest number, and how many topics there are. */
    async head(): Promise<{ last_id: number; topics: number }> {
      const [row] = await db<{ last_id: number; topics: number }[]>`select last_id, topics from bus_head`
      return row ?? { last_id: 0, topics: 0 }
    },

    async topics(): Promise<string[]> {
      return (await db<{ topic: string }[]>`select topic from bus_topics`).map((row) => row.topic)
    },

    /** Messages after `after` up to `to` of these topics, in order, at most `limit`. */
    async page(range: { after: number; to: number; topics: string[] | 'all'; workspace_id: string; limit: number }) {
      const { after, to, topics, workspace_id, limit } = range
      if (topics.length === 0) return []
      if (topics === 'all' && workspace_id === '*')
        return await db<BusRow[]>`
          select id, topic, workspace_id, event from bus_messages where id > ${after} and id <= ${to} order by id limit ${limit}`
      const ofWorkspace = workspace_id === '*' ? db`` : db`and workspace_id = ${workspace_id}`
      return await db<BusRow[]>`
        select id, topic, workspace_id, event from bus_messages
        where id = any(array(
          select m.id from ${topics === 'all' ? db`bus_topics` : db`unnest(${topics}::text[])`} t(topic) cross join lateral (
            select id from bus_messages
            where topic = t.topic collate "C" ${ofWorkspace} and id > ${after} and id <= ${to} order by id limit ${limit}
          ) m order by m.id limit ${limit}))
        order by id`
    },

    /** Where the subscriber stands; a new one begins at the start or at the end of the log. */
    async open({ subscriber, workspace_id }: CursorName, from: 'now' | 'beginning'): Promise<Cursor> {
      await db`
        insert into bus_cursors (subscriber, workspace_id, last_id, reading_to)
        select ${subscriber}, ${workspace_id}, place, place
        from (select case when ${from === 'now'} then last_id else 0 end as place from bus_head) h
        on conflict do nothing`
      const [row] = await db<Cursor[]>`
        select last_id, reading_to from bus_cursors where subscriber = ${subscriber} and workspace_id = ${workspace_id}`
      return row ?? { last_id: 0, reading_to: 0 }
    },

    /** A cursor never goes back, whoever writes last. */
    async mark({ subscriber, workspace_id }: CursorName, cursor: Cursor): Promise<void> {
      await db`
        update bus_cursors set last_id = greatest(last_id, ${cursor.last_id}),
          reading_to = greatest(last_id, ${cursor.reading_to}), updated_at = now()
        where subscriber = ${subscriber} and workspace_id = ${workspace_id}`
    },

    /** Puts a message aside that a subscriber could not handle. */
    async bury(subscriber: string, message: BusRow, attempts: number, error: string): Promise<void> {
      await db`
        insert into bus_dead_letters (subscriber, message_id, workspace_id, topic, event, attempts, error)
        values (${subscriber}, ${message.id}, ${message.workspace_id}, ${message.topic},
          ${db.json(message.event as never)}, ${attempts}, ${error})
        on conflict do nothing`
    },
  }
}

export type BusReads = ReturnType<typeof createBusReads>
