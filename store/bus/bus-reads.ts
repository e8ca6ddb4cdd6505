import type { BusRow, CursorPosition, TakenCursor } from '#core/bus/subscription.ts'
import type { Db } from '../db.ts'

export interface CursorName {
  subscriber: string
  /** `*` for all workspaces */
  workspace_id: string
}

export interface PageRange {
  after: number
  to: number
  topics: string[] | 'all'
  workspace_id: string
  limit: number
  /** `log` reads every message up to `to`, `topics` only those that are wanted, at the price of a lookup of each topic */
  through: 'log' | 'topics'
}

/** The reading side of the durable bus. Readers go by the log's own numbers, which never commit out of order. */
export function createBusReads(db: Db) {
  return {
    /** Returns the newest number, the number of topics, and whether dead letters are to be redriven. */
    async head(): Promise<{ last_id: number; topics: number; redrive: boolean }> {
      const [row] = await db<{ last_id: number; topics: number; redrive: boolean }[]>`
        select last_id, topics, exists (select from bus_dead_letters where redrive_at is not null) as redrive from bus_head`
      return row ?? { last_id: 0, topics: 0, redrive: false }
    },

    async topics(): Promise<string[]> {
      return (await db<{ topic: string }[]>`select topic from bus_topics`).map((row) => row.topic)
    },

    /** Returns the last message before a time, without searching further back; 0 for none. */
    async lastBefore(ms: number): Promise<number> {
      const [row] = await db<{ id: number }[]>`
        select id from bus_messages where published_at < to_timestamp(${ms / 1_000}::float8) order by id desc limit 1`
      return row?.id ?? 0
    },

    /** On which topics, of which workspaces, there are messages after `after` up to `to`. */
    async topicsBetween(after: number, to: number): Promise<{ workspace_id: string; topic: string }[]> {
      return await db`select distinct workspace_id, topic from bus_messages where id > ${after} and id <= ${to}`
    },

    /** Messages after `after` up to `to` of these topics, in order, at most `limit`. */
    async page({ after, to, topics, workspace_id, limit, through }: PageRange): Promise<BusRow[]> {
      if (topics.length === 0) return []
      const ofWorkspace = workspace_id === '*' ? db`` : db`and workspace_id = ${workspace_id}`
      if (through === 'log')
        return await db<BusRow[]>`
          select id, topic, workspace_id, event from bus_messages
          where id > ${after} and id <= ${to} ${topics === 'all' ? db`` : db`and topic = any(${topics}::text[])`} ${ofWorkspace}
          order by id limit ${limit}`
      return await db<BusRow[]>`
        select id, topic, workspace_id, event from bus_messages
        where id = any(array(
          select m.id from ${topics === 'all' ? db`bus_topics` : db`unnest(${topics}::text[])`} t(topic) cross join lateral (
            select id from bus_messages
            where topic = t.topic collate "C" ${ofWorkspace} and id > ${after} and id <= ${to} order by id limit ${limit}
          ) m order by m.id limit ${limit}))
        order by id`
    },

    /** Gives a new subscriber its place, at the start or at the end of the log. */
    async open({ subscriber, workspace_id }: CursorName, from: 'now' | 'beginning'): Promise<void> {
      await db`
        insert into bus_cursors (subscriber, workspace_id, last_id, reading_to)
        select ${subscriber}, ${workspace_id}, place, place
        from (select case when ${from === 'now'} then last_id else 0 end as place from bus_head) h
        on conflict do nothing`
    },

    /** Takes the subscriber's cursor from its holder. `mine`: the holder number that this process has not released. */
    async take({ subscriber, workspace_id }: CursorName, mine: number): Promise<TakenCursor> {
      const [row] = await db<TakenCursor[]>`
        update bus_cursors set holder = holder + 1, claims = case when holder = ${mine} and claims > 0 then claims else claims + 1 end
        where subscriber = ${subscriber} and workspace_id = ${workspace_id}
        returning last_id, reading_to, holder, claims - 1 as processes_ended`
      return row ?? { last_id: 0, reading_to: 0, holder: 0, processes_ended: 0 }
    },

    /**
     * Releases a cursor by a living process, also when another one holds it now. Each claim that still counts is one of the last holders'.
     */
    async letGo({ subscriber, workspace_id }: CursorName, holder: number): Promise<void> {
      await db`
        update bus_cursors set claims = claims - 1
        where subscriber = ${subscriber} and workspace_id = ${workspace_id} and claims > 0 and ${holder} > holder - claims`
    },

    /**
     * Stores the position of the holder; false when another process has taken the cursor. A cursor never goes back, and messages in doubt
     * are cleared only `at_rest`.
     */
    async mark(
      { subscriber, workspace_id }: CursorName,
      place: CursorPosition & { at_rest: boolean; cleared: boolean },
    ): Promise<boolean> {
      const { last_id, reading_to, holder, at_rest, cleared } = place
      const marked = await db`
        update bus_cursors set last_id = greatest(last_id, ${last_id}), updated_at = now(), claims = case when ${cleared} then 1 else claims end,
          reading_to = greatest(last_id, ${reading_to}, case when ${at_rest} then 0 else reading_to end)
        where subscriber = ${subscriber} and workspace_id = ${workspace_id} and holder = ${holder} returning 1`
      return marked.length > 0
    },
  }
}

export type BusReads = ReturnType<typeof createBusReads>
