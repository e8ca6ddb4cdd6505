import type { SetAside } from '#core/set-aside.ts'
import { DAY_MS } from '#core/time/time.ts'
import type { Db } from './db.ts'

/** Work that is not handed out again because it crashed two processes. A run has ended with it, and is listed for a day. */
export function createSetAsideStore(db: Db) {
  const columns = db`kind, subject, workspace_id, reason, iso_time(created_at) as created_at`
  return {
    /** Of a workspace, the newest first. */
    async list(workspaceId: string): Promise<SetAside[]> {
      return await db<SetAside[]>`
        select ${columns} from set_aside where workspace_id = ${workspaceId} and ${isCurrent(db)}
        order by set_aside.created_at desc, kind, subject limit 50`
    },
  }
}

function isCurrent(db: Db) {
  return db`(kind <> 'run' or set_aside.created_at > now() - interval '1 day')`
}

/** Counts it by kind, in all workspaces. */
export async function countSetAside(db: Db): Promise<{ kind: SetAside['kind']; count: number }[]> {
  return await db`select kind, count(*)::int as count from set_aside where ${isCurrent(db)} group by kind`
}

/** Messages that did not arrive at a channel, for one reason. */
export interface Undelivered {
  channel: string
  detail: string
  count: number
  /** number of them that are tried again */
  retrying: number
  /** of the last attempt */
  since: string
}

/** Returns the notices of a workspace that failed in the last day, and why. */
export async function undelivered(db: Db, workspaceId: string): Promise<Undelivered[]> {
  return await db<Undelivered[]>`
    select channel, coalesce(detail, '') as detail, count(*)::int as count,
      (count(*) filter (where next_at is not null))::int as retrying, max(updated_at) as since from notice_deliveries
    where workspace_id = ${workspaceId} and status = 'failed' and updated_at > now() - ${DAY_MS} * interval '1 millisecond'
    group by channel, detail order by since desc limit 50`
}
