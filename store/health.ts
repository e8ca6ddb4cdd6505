import type { Db } from './db.ts'

export interface WorkerBeat {
  worker_id: string
  lanes: string[]
  audit_leader: boolean
  audit_ok: boolean
  age_ms: number
}

/** Heartbeats of workers no older than this; anyone who is older counts as gone. */
export function createHealthViews(db: Db) {
  return {
    async freshWorkers(withinMs: number): Promise<WorkerBeat[]> {
      return db<WorkerBeat[]>`
        select worker_id, lanes, audit_leader, audit_ok,
          (extract(epoch from now() - seen_at) * 1000)::integer as age_ms
        from worker_heartbeats where seen_at > now() - ${withinMs} * interval '1 millisecond'
        order by worker_id`
    },

    /** What is wrong with the audit log as a file; null when nothing is known to be. */
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
