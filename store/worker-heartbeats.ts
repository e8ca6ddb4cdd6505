import type { Db } from './db.ts'

export interface WorkerHeartbeat {
  worker_id: string
  lanes: string[]
  audit_leader: boolean
  audit_ok: boolean
}

/** Signs of life of the workers, for health checks. */
export function createWorkerHeartbeats(db: Db) {
  return {
    async beat({ worker_id, lanes, audit_leader, audit_ok }: WorkerHeartbeat): Promise<void> {
      await db`
        insert into worker_heartbeats (worker_id, lanes, audit_leader, audit_ok, seen_at)
        values (${worker_id}, ${lanes}, ${audit_leader}, ${audit_ok}, now())
        on conflict (worker_id) do update set lanes = excluded.lanes, audit_leader = excluded.audit_leader,
          audit_ok = excluded.audit_ok, seen_at = excluded.seen_at`
    },

    /** Removes this worker, and those that stopped without doing so. */
    async leave(workerId: string): Promise<void> {
      await db`delete from worker_heartbeats where worker_id = ${workerId} or seen_at < now() - interval '1 hour'`
    },
  }
}
