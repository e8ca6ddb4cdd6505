import type { GateStatus } from '#core/gate/types.ts'
import type { RunStatus } from '#core/run/status.ts'
import type { Db } from '../db.ts'

interface NoticeRow {
  id: number
  run_id: string
  workspace_id: string
}

/** An event of a gate, or the end of a run, whose notices are not planned yet. */
export type GateNoticeRow =
  | (NoticeRow & { kind: 'opened' | 'answered' | 'resolved'; gate_id: string; gate_status: GateStatus })
  | (NoticeRow & {
      kind: 'ended'
      run_status: RunStatus
      environment: string
      /** true if people were asked about it, or are to be notified of one of its gates */
      asked: boolean
    })

const MAX_BACKOFF_S = 60

/**
 * The outbox of gates that opened, were answered in a user's name or were resolved, filled by triggers, and of runs that ended, filled by
 * their end.
 */
export function createGateNotices(db: Db) {
  return {
    /** Returns due entries, oldest first, so that a gate's opening always comes before its resolution. */
    async takeDue(limit: number): Promise<GateNoticeRow[]> {
      return db`
        select n.id, n.gate_id, n.run_id, n.workspace_id, n.kind, g.status as gate_status, r.status as run_status, r.environment,
          n.kind = 'ended' and exists (select from gate_notices o where o.run_id = n.run_id and o.kind = 'opened') as asked
        from gate_notices n join runs r on r.id = n.run_id left join gates g on g.id = n.gate_id
        where n.handed_at is null and n.due_at <= now()
          and not exists (select from gate_notices earlier
            where earlier.gate_id = n.gate_id and earlier.id < n.id and earlier.handed_at is null and earlier.due_at > now())
        order by n.id limit ${limit}`
    },

    async markHanded(ids: number[]): Promise<void> {
      if (ids.length > 0) await db`update gate_notices set handed_at = now() where id in ${db(ids)}`
    },

    /** Postpones failed entries, by a minute at most. */
    async postpone(ids: number[]): Promise<void> {
      if (ids.length === 0) return
      await db`
        update gate_notices set attempts = attempts + 1,
          due_at = now() + least(power(2, least(attempts, 10)), ${MAX_BACKOFF_S}) * interval '1 second'
        where id in ${db(ids)}`
    },
  }
}

export type GateNotices = ReturnType<typeof createGateNotices>
