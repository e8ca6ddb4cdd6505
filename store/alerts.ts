import type { Db } from './db.ts'
import { unlessStuck } from './unless-stuck.ts'

/** One member of a fingerprint that has recovered. */
export interface Resolution {
  fingerprint: string
  member: string
  /** when the tool says that it ended */
  ends_at?: string | undefined
}

export interface ResolvedAlert extends Resolution {
  run_id: string
  /** members of the run that are still firing */
  remaining: number
}

/** One alert of a delivery that is part of a run already. */
export interface FoldedAlert extends Resolution {
  run_id: string
  /** the one of the delivery that started its run */
  started: boolean
}

/** Everything that is written about alerts of runs that exist already. */
export function createAlertStore(db: Db) {
  return {
    /** What an earlier attempt has folded of a delivery, in the order of its alerts. */
    async folded(workspaceId: string, deliveryId: string): Promise<FoldedAlert[]> {
      return db`
        select a.run_id, r.fingerprint, a.member,
          r.provenance #>> '{trigger,delivery_id}' = ${deliveryId} and row_number() over (partition by a.run_id order by a.id) = 1
            as started
        from run_alerts a join runs r on r.id = a.run_id
        where a.delivery_id = ${deliveryId} and a.status = 'firing' and r.workspace_id = ${workspaceId} and r.fingerprint is not null
        order by a.id`
    },

    /** The active runs of these fingerprints. */
    async active(workspaceId: string, fingerprints: string[]): Promise<{ run_id: string; fingerprint: string }[]> {
      return db`
        select id as run_id, fingerprint from runs
        where workspace_id = ${workspaceId} and fingerprint = any(${fingerprints}::text[])
          and status in ('queued', 'running', 'awaiting_approval', 'cancelling')`
    },

    /**
     * Records recoveries on the active runs of their fingerprints; those without one are not in the answer. The caller sends each
     * member once. Rows are locked in the order of fingerprints, as admission does, so that no two writers ever wait for each other.
     */
    async resolve(workspaceId: string, deliveryId: string, resolutions: Resolution[]): Promise<ResolvedAlert[]> {
      if (resolutions.length === 0) return []
      const fingerprints = [...new Set(resolutions.map((each) => each.fingerprint))].sort()
      const [row] = await unlessStuck(
        db<{ resolved: ResolvedAlert[] }[]>`
          with noted as materialized (
            select resolve_alerts(${workspaceId}, ${deliveryId}, ${fingerprints}::text[],
              ${resolutions.map((each) => each.fingerprint)}::text[], ${resolutions.map((each) => each.member)}::text[]) as resolved
          ), states as (
            update run_alert_states s set status = 'resolved', updated_at = now(),
              alert = alert || jsonb_strip_nulls(jsonb_build_object('ends_at', ended.ends_at))
            from noted, jsonb_to_recordset(noted.resolved) n(run_id text, fingerprint text, member text)
            join unnest(${resolutions.map((each) => each.fingerprint)}::text[], ${resolutions.map((each) => each.member)}::text[],
              ${resolutions.map((each) => each.ends_at ?? null)}::text[]) ended(fingerprint, member, ends_at) using (fingerprint, member)
            where s.run_id = n.run_id and s.member = n.member
          )
          select resolved from noted`,
      )
      return row?.resolved ?? []
    },
  }
}

export type AlertStore = ReturnType<typeof createAlertStore>
