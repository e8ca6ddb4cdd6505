import { DAY_MS } from '#core/time.ts'
import type { Db } from './db.ts'

/** Messages that did not arrive at a channel, for one reason. */
export interface Undelivered {
  channel: string
  detail: string
  count: number
  /** how many of them are tried again */
  retrying: number
  /** of the last attempt */
  since: string
}

/** What a workspace's people were not told in the last day, and why. */
export async function undelivered(db: Db, workspaceId: string): Promise<Undelivered[]> {
  return await db<Undelivered[]>`
    select channel, coalesce(detail, '') as detail, count(*)::int as count,
      (count(*) filter (where next_at is not null))::int as retrying, max(updated_at) as since from notice_deliveries
    where workspace_id = ${workspaceId} and status = 'failed' and updated_at > now() - ${DAY_MS} * interval '1 millisecond'
    group by channel, detail order by since desc limit 50`
}
