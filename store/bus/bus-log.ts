import type postgres from 'postgres'
import type { CloudEvent } from '#core/bus/cloud-event.ts'
import { asJson, type Db } from '../db.ts'
import { batched } from '../sql/batched.ts'

/** The pool, or a transaction in progress. */
type Session = postgres.ISql<{ bigint: number; timestamptz: string; date: string }>

/** Rung when something waits in the outbox; its transaction has committed by then. */
export const OUTBOX_CHANNEL = 'svc_bus_outbox'
/** Rung by the numberer with every batch. */
export const BUS_CHANNEL = 'svc_bus'

/** Sweeps remove this many messages at a time. */
const SWEEP = 5_000
/** Most events of one process in a commit. */
const JOINED = 500

/** The writing side of the durable bus. */
export function createBusLog(db: Db) {
  const insert = async (events: CloudEvent[], session: Session) =>
    void (await session`select publish_events(${session.json(asJson(events))})`)
  const join = batched<CloudEvent>((events) => insert(events, db), JOINED)

  return {
    /** Publishes events in the given transaction, else in one that others of this process may share. */
    async publish(events: CloudEvent[], session?: Session): Promise<void> {
      if (events.length > 0) await (session === undefined ? join(events) : insert(events, session))
    },

    /** Tells the numberer that something waits. Not part of publishing: notifying commits would queue for one lock. */
    async notify(): Promise<void> {
      await db`select pg_notify(${OUTBOX_CHANNEL}, '')`
    },

    /** Numbers at most `limit` waiting messages and notifies of them; answers how many there were. */
    async number(limit: number): Promise<number> {
      const [row] = await db<{ count: number }[]>`select number_bus_messages(${limit}) as count`
      return row?.count ?? 0
    },

    /** Takes at most `limit` waiting events off the outbox to hand them out: none where a log is kept, as they belong there. */
    async take(limit: number): Promise<CloudEvent[]> {
      const rows = await db<{ event: CloudEvent }[]>`
        with taken as (
          delete from bus_outbox
          where id = any(array(
            select id from bus_outbox where not (select durable from bus_settings)
            order by id limit ${limit} for update skip locked))
          returning id, event
        ) select event from taken order by id`
      return rows.map(({ event }) => event)
    },

    /** Sets whether transitions of runs are written to the bus; true when that has changed. */
    async setDurable(durable: boolean): Promise<boolean> {
      return (await db`update bus_settings set durable = ${durable} where durable <> ${durable} returning 1`).length > 0
    },

    /**
     * Forgets messages older than `retention_ms` that every subscriber has had, and all that are twice as old. Answers how
     * many.
     */
    async sweep(retention_ms: number): Promise<number> {
      for (let removed = 0; ; ) {
        const rows = await db`
          with oldest as materialized (select id, published_at from bus_messages order by id limit ${SWEEP})
          delete from bus_messages where id = any(array(
            select id from oldest where published_at < now() - make_interval(secs => ${retention_ms / 1_000})
              and (id <= coalesce((select min(last_id) from bus_cursors), id)
                or published_at < now() - make_interval(secs => ${(2 * retention_ms) / 1_000}))))
          returning 1`
        removed += rows.length
        if (rows.length < SWEEP) return removed
      }
    },
  }
}

export type BusLog = ReturnType<typeof createBusLog>
