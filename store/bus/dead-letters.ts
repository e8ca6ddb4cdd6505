import type { AuditDraft } from '#core/audit/types.ts'
import type { BusRow } from '#core/bus/subscription.ts'
import { asJson, type Db } from '../db.ts'
import { BUS_CHANNEL } from './bus-log.ts'
import type { CursorName } from './bus-reads.ts'

/** A message that a subscriber could not handle. */
export interface DeadLetter {
  subscriber: string
  message_id: number
  workspace_id: string
  topic: string
  attempts: number
  error: string
  created_at: string
  /** since when it waits to go through its subscriber once more */
  redrive_at: string | null
}

/** Dead letters, for subscribers and operators. */
export function createDeadLetters(db: Db) {
  return {
    /** Sets a message aside, or returns it. */
    async bury(subscriber: string, message: BusRow, attempts: number, error: string): Promise<void> {
      await db`
        insert into bus_dead_letters as d (subscriber, message_id, workspace_id, topic, event, attempts, error)
        values (${subscriber}, ${message.id}, ${message.workspace_id}, ${message.topic},
          ${db.json(asJson(message.event))}, ${attempts}, ${error})
        on conflict (subscriber, message_id) do update
          set attempts = d.attempts + excluded.attempts, error = excluded.error, redrive_at = null`
    },

    /** Returns the messages that a subscriber should retry, in the order of the log. */
    async toRedrive({ subscriber, workspace_id }: CursorName, limit: number): Promise<BusRow[]> {
      return await db<BusRow[]>`
        select message_id as id, topic, workspace_id, event from bus_dead_letters
        where subscriber = ${subscriber} and redrive_at is not null and ${workspace_id} in ('*', workspace_id)
        order by message_id limit ${limit}`
    },

    /** Begins its retry; if the process crashes, it stays a dead letter, and is not retried again automatically. */
    async begin(subscriber: string, message_id: number): Promise<void> {
      await db`
        update bus_dead_letters set redrive_at = null where subscriber = ${subscriber} and message_id = ${message_id}`
    },

    /** Its try was given up before it ended. */
    async putBack(subscriber: string, message_id: number): Promise<void> {
      await db`
        update bus_dead_letters set redrive_at = now() where subscriber = ${subscriber} and message_id = ${message_id}`
    },

    /** The subscriber has handled it after all. */
    async remove(subscriber: string, message_id: number): Promise<void> {
      await db`delete from bus_dead_letters where subscriber = ${subscriber} and message_id = ${message_id}`
    },

    /** The newest first. */
    async list(filter: { subscriber?: string; limit: number }): Promise<DeadLetter[]> {
      const of = filter.subscriber === undefined ? db`` : db`where subscriber = ${filter.subscriber}`
      return await db<DeadLetter[]>`
        select subscriber, message_id, workspace_id, topic, attempts, error, created_at, redrive_at
        from bus_dead_letters ${of} order by created_at desc, subscriber, message_id limit ${filter.limit}`
    },

    /** These of a subscriber, or all that it has. */
    async find(
      subscriber: string,
      messages: number[] | 'all',
    ): Promise<Pick<DeadLetter, 'message_id' | 'workspace_id' | 'topic'>[]> {
      const these = messages === 'all' ? db`` : db`and message_id = any(${messages.map(String)}::text[]::bigint[])`
      return await db`
        select message_id, workspace_id, topic from bus_dead_letters where subscriber = ${subscriber} ${these} order by message_id`
    },

    /** Requests another try of these, each with its record; returns how many still existed. */
    async redrive(subscriber: string, asked: { message_id: number; audit: AuditDraft }[]): Promise<number> {
      const rows = await db`
        with wanted as materialized (
          select (w ->> 'message_id')::bigint as message_id, w -> 'audit' as audit
          from jsonb_array_elements(${db.json(asJson(asked))}) t(w)
        ), waiting as (
          update bus_dead_letters d set redrive_at = coalesce(d.redrive_at, now())
          from wanted where d.subscriber = ${subscriber} and d.message_id = wanted.message_id returning wanted.audit
        ), noted as (
          insert into audit_outbox (draft) select audit from waiting
        ) select 1 from waiting`
      if (rows.length > 0) await db`select pg_notify(${BUS_CHANNEL}, '')`
      return rows.length
    },
  }
}

export type DeadLetters = ReturnType<typeof createDeadLetters>
