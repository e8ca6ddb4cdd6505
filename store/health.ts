import type { Db } from './db.ts'

export interface WorkerBeat {
  worker_id: string
  lanes: string[]
  audit_leader: boolean
  audit_ok: boolean
  age_ms: number
}

/** Heartbeats of workers no older than this; older workers count as stopped. */
export function createHealthViews(db: Db) {
  return {
    async freshWorkers(withinMs: number): Promise<WorkerBeat[]> {
      return db<WorkerBeat[]>`
        select worker_id, lanes, audit_leader, audit_ok,
          (extract(epoch from now() - seen_at) * 1000)::integer as age_ms
        from worker_heartbeats where seen_at > now() - ${withinMs} * interval '1 millisecond'
        order by worker_id`
    },

    /** Returns the problem of the audit log's file; null for none. */
    async auditProblem(): Promise<string | null> {
      const [row] = await db<{ problem: string | null }[]>`select problem from audit_file`
      return row?.problem ?? null
    },

    async ping(): Promise<void> {
      await db`select 1`
    },

    /** As in `17.4`. */
    async serverVersion(): Promise<string> {
      const [row] = await db<{ version: string }[]>`select current_setting('server_version') as version`
      return row?.version ?? 'unknown'
    },
  }
}

export type HealthViews = ReturnType<typeof createHealthViews>

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
