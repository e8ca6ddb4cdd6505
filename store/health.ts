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
