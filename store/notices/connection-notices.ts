import type { ConnectionInput } from '#core/notify/contract.ts'
import type { Db } from '../db.ts'

/** What the owner of a connection is told: its authorisation has failed, is unknown, or ends. */
export type ConnectionEvent = 'failed' | 'unknown' | 'ends'

/** An authorisation with the facts of its notices. */
export interface ConnectionNoticeView {
  authorization_id: string
  connection_id: string
  name: string
  environment: string
  /** null when it is active again */
  event: ConnectionEvent | null
  detail: string | null
  since: string
  expires_at: string | null
  /** number of messages that were decided */
  notices: number
  /** mail addresses of those who are told: who authorised it, else who made it, else the admins of all workspaces */
  owners: string[]
}

/** A message that is due. */
export type DueConnectionNotice = ConnectionInput

const AGAIN_S = 5
const MAX_OWNERS = 100

/** When messages about authorisations are due, on the row of each; and the facts in them. */
export function createConnectionNotices(db: Db) {
  const isPerson = db`u.status = 'active' and not 'service' = any (u.roles)`

  return {
    /** Returns the due messages, the longest due first. */
    async takeDue(limit: number): Promise<DueConnectionNotice[]> {
      return db<DueConnectionNotice[]>`
        select id as authorization_id, notices as notice from connection_grants
        where notice_due_at <= now() order by notice_due_at, id limit ${limit}`
    },

    /** Records that a message was handed to the engine. Of an end, there is another one a day before. */
    async markHanded({ authorization_id, notice }: DueConnectionNotice): Promise<void> {
      await db`
        update connection_grants set
          failed_notified_at = case when notice = 'failed' then now() else failed_notified_at end,
          unknown_notified_at = case when notice = 'unknown' then now() else unknown_notified_at end,
          notices = notices + coalesce(notice = 'ends' and expires_at - interval '1 day' > now(), false)::integer,
          notice_due_at = case when notice = 'ends' and expires_at - interval '1 day' > now() then expires_at - interval '1 day' end
        where id = ${authorization_id} and notices = ${notice} and notice_due_at is not null`
    },

    /** Tries again in some seconds. */
    async postpone(authorizationIds: string[]): Promise<void> {
      if (authorizationIds.length === 0) return
      await db`
        update connection_grants set notice_due_at = now() + ${AGAIN_S} * interval '1 second'
        where id in ${db(authorizationIds)} and notice_due_at is not null`
    },

    /** Undefined when it was authorised again, or is gone. */
    async find(authorizationId: string): Promise<ConnectionNoticeView | undefined> {
      const [row] = await db<ConnectionNoticeView[]>`
        select g.id as authorization_id, c.id as connection_id, c.name, g.environment, g.notice as event, g.detail,
          iso_time(g.since) as since, iso_time(g.expires_at) as expires_at, g.notices,
          coalesce(
            (select array[u.email] from users u where u.id in (g.authorized_by, c.created_by) and ${isPerson}
             order by u.id = g.authorized_by desc limit 1),
            (select array_agg(a.email) from (
              select u.email from users u
              where ${isPerson} and u.roles && '{admin,owner}' and '*' = any (u.workspaces)
              order by u.email limit ${MAX_OWNERS}) a),
            '{}') as owners
        from connection_grants g join connections c on c.id = g.connection_id where g.id = ${authorizationId}`
      return row
    },
  }
}

export type ConnectionNotices = ReturnType<typeof createConnectionNotices>
