import type { TenantDb } from '../tenant-db.ts'

export interface StaleGateFilter {
  workspace_id: string
  /** only these runs */
  run_ids: string[] | null
  /** opened at least this long ago */
  older_than_ms: number
  pack: string | null
  environment: string | null
}

export interface StaleGate {
  run_id: string
  gate_id: string
}

/** Finds gates that will not be answered. */
export function createStaleGates(tenants: TenantDb) {
  return {
    /** Open gates that fit, oldest first. */
    async find(filter: StaleGateFilter, limit: number): Promise<StaleGate[]> {
      return tenants.in(
        filter.workspace_id,
        (db) => db<StaleGate[]>`
        select g.run_id, g.id as gate_id from gates g join runs r on r.id = g.run_id
        where g.workspace_id = ${filter.workspace_id} and g.status = 'open' and r.status = 'awaiting_approval'
          and g.opened_at <= now() - ${filter.older_than_ms} * interval '1 millisecond'
          and (${filter.run_ids}::text[] is null or g.run_id = any(${filter.run_ids}::text[]))
          and (${filter.pack}::text is null or r.pack = ${filter.pack})
          and (${filter.environment}::text is null or r.environment = ${filter.environment})
        order by g.opened_at, g.id limit ${limit}`,
      )
    },

    /** The gates of these that were closed by the decision of this id, oldest first. */
    async dismissedAs(workspaceId: string, decisionId: string): Promise<StaleGate[]> {
      return tenants.in(
        workspaceId,
        (db) => db<StaleGate[]>`
        select run_id, id as gate_id from gates
        where workspace_id = ${workspaceId} and status = 'expired' and resolution ->> 'decision_id' = ${decisionId}
        order by opened_at, id`,
      )
    },
  }
}

export type StaleGates = ReturnType<typeof createStaleGates>
