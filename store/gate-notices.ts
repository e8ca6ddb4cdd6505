import { type ActionInput, actionWorkflowId } from '#core/action-contract.ts'
import type { GateStatus } from '#core/gate/types.ts'
import type { Db } from './db.ts'

/** Something to tell about a gate that nobody has been told to tell yet. */
export interface GateNoticeRow {
  id: number
  gate_id: string
  run_id: string
  workspace_id: string
  kind: 'opened' | 'resolved'
  /** where the gate stands now */
  gate_status: GateStatus
}

const MAX_BACKOFF_S = 60
const ACTION_PREFIX = actionWorkflowId('')

/** The outbox of gates that opened or were resolved, which triggers on the gates fill. */
export function createGateNotices(db: Db) {
  return {
    /** What is due, oldest first, so that a gate's opening always comes before its resolution. */
    async takeDue(limit: number): Promise<GateNoticeRow[]> {
      return db`
        select n.id, n.gate_id, n.run_id, n.workspace_id, n.kind, g.status as gate_status
        from gate_notices n join gates g on g.id = n.gate_id
        where n.handed_at is null and n.due_at <= now()
          and not exists (select from gate_notices earlier
            where earlier.gate_id = n.gate_id and earlier.id < n.id and earlier.handed_at is null and earlier.due_at > now())
        order by n.id limit ${limit}`
    },

    /** The gates that these workflows tell about, if anybody is to hear of them. */
    async findStarts(workflowIds: string[]): Promise<ActionInput[]> {
      const gateIds = workflowIds.flatMap((id) =>
        id.startsWith(ACTION_PREFIX) ? [id.slice(ACTION_PREFIX.length)] : [],
      )
      return db<ActionInput[]>`
        select gate_id, run_id, workspace_id from gate_notices
        where kind = 'opened' and gate_id = any(${gateIds}::text[])`
    },

    async markHanded(ids: number[]): Promise<void> {
      if (ids.length > 0) await db`update gate_notices set handed_at = now() where id in ${db(ids)}`
    },

    /** Tried in vain: the next time comes later, and at the latest after a minute. */
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
