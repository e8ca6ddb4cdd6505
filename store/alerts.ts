import type { Db } from './db.ts'
import { LOCK_TIMEOUT, unlessStuck } from './unless-stuck.ts'

/** One member of a fingerprint that has recovered. */
export interface Resolution {
  fingerprint: string
  member: string
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
      const recorded = db.begin(async (sql): Promise<ResolvedAlert[]> => {
        await sql.unsafe(`set local lock_timeout = '${LOCK_TIMEOUT}'`)
        const runs = await sql<{ id: string; fingerprint: string }[]>`
          select r.id, r.fingerprint
          from unnest(${fingerprints}::text[]) with ordinality f(fingerprint, position)
          join runs r on r.workspace_id = ${workspaceId} and r.fingerprint = f.fingerprint
            and r.status in ('queued', 'running', 'awaiting_approval', 'cancelling')
          order by f.position for update of r`
        const runOf = new Map(runs.map((run) => [run.fingerprint, run.id]))
        const found = resolutions.flatMap((each) => {
          const run_id = runOf.get(each.fingerprint)
          return run_id === undefined ? [] : [{ ...each, run_id }]
        })
        if (found.length === 0) return []
        // a statement of its own: its snapshot holds every member that attached before the rows were locked
        return sql<ResolvedAlert[]>`
          with recovered as (
            select * from unnest(${found.map((each) => each.run_id)}::text[], ${found.map((each) => each.fingerprint)}::text[],
              ${found.map((each) => each.member)}::text[]) with ordinality t(run_id, fingerprint, member, position)
          ), firing as (
            select run_id, member from (
              select distinct on (run_id, member) run_id, member, status from run_alerts
              where run_id in (select run_id from recovered) order by run_id, member, id desc
            ) latest where status = 'firing'
          ), numbered as (
            select r.*, row_number() over in_order as n,
              (select count(*) from firing where firing.run_id = r.run_id) - count(f.member) over in_order as remaining
            from recovered r left join firing f on f.run_id = r.run_id and f.member = r.member
            window in_order as (partition by r.run_id order by r.position)
          ), noted as (
            insert into run_alerts (run_id, delivery_id, member, status)
            select run_id, ${deliveryId}, member, 'resolved' from numbered order by position
            returning id, run_id, member
          ), moved as (
            update runs set last_seq = last_seq + added.events, updated_at = now()
            from (select run_id, max(n) as events from numbered group by run_id) added where runs.id = added.run_id
            returning runs.id, runs.last_seq - added.events as base
          ), written as (
            insert into run_events (run_id, seq, event_key, type, ts, data)
            select run_id, moved.base + n, 'alert/resolved/' || noted.id, 'alert.resolved',
              date_trunc('milliseconds', clock_timestamp()), jsonb_build_object('member', member, 'remaining', remaining)
            from numbered join noted using (run_id, member) join moved on moved.id = run_id
          )
          select run_id, fingerprint, member, remaining from numbered order by position`
      })
      return unlessStuck(recorded)
    },
  }
}

export type AlertStore = ReturnType<typeof createAlertStore>
