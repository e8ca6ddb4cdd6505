import type { Db } from '../db.ts'
import { inBatches } from '../sql/in-batches.ts'
import { unlessStuck } from '../sql/lock-conflicts.ts'

/** No end is remembered for longer (`AlertIdentity.remembered_s`). */
const ENDS_KEPT_DAYS = 7
/** The active run of a member is among this many of its newest ones. */
const NEWEST_RUNS = 20

interface MemberRef {
  fingerprint: string
  member: string
}

export interface Resolution extends MemberRef {
  /** where the member is unique: its tool, where its id is the tool's own; else the fingerprint */
  scope?: string | undefined
  /** when it ended, by the tool */
  ends_at?: string | undefined
}

export interface ResolvedAlert extends MemberRef {
  run_id: string
  /** members of the run that are still firing */
  remaining: number
  /** it ended before the member fired as it does now, so nothing has changed */
  late: boolean
  /** since when the member fires */
  fired_at: string | null
}

/** The firing of a member, to look up whether it has ended since. */
export interface Firing {
  scope?: string | undefined
  member: string
  at?: string | undefined
  /** for this many seconds a received end still counts; given with the scope */
  remembered_s?: number | undefined
}

/** An alert of a delivery that is part of a run already. */
export interface FoldedAlert extends MemberRef {
  run_id: string
  /** the one of the delivery that started its run */
  started: boolean
}

/** Writes alerts of existing runs. */
export function createAlertStore(db: Db) {
  return {
    /** Returns the alerts of a delivery that an earlier attempt attached, in order. */
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

    /** Returns when the members ended, for those that ended since they fired, in the order given; else undefined. */
    async ended(workspaceId: string, firing: Firing[]): Promise<(string | undefined)[]> {
      const asked = firing.flatMap(({ scope, member, at, remembered_s }, index) =>
        scope === undefined || at === undefined ? [] : [{ scope, member, at, remembered_s: remembered_s ?? 0, index }],
      )
      const answer: (string | undefined)[] = firing.map(() => undefined)
      if (asked.length === 0) return answer
      const rows = await db<{ index: number; ended_at: string }[]>`
        select t.index, iso_time(e.ended_at) as ended_at
        from unnest(${asked.map((each) => each.scope)}::text[], ${asked.map((each) => each.member)}::text[],
          ${asked.map((each) => each.at)}::text[], ${asked.map((each) => each.remembered_s)}::int[],
          ${asked.map((each) => each.index)}::int[]) t(scope, member, at, remembered_s, index)
        join alert_ends e on e.workspace_id = ${workspaceId} and e.scope = t.scope and e.member = t.member
          and e.ended_at >= t.at::timestamptz and e.received_at > now() - t.remembered_s * interval '1 second'`
      for (const { index, ended_at } of rows) answer[index] = ended_at
      return answer
    },

    /**
     * Records recoveries on the active runs of their members, whatever their fingerprints are now; recoveries without a run are missing in
     * the answer, and remembered for a late firing. The caller sends each member once. Rows are locked in the order of fingerprints, as
     * admission does, so writers never deadlock.
     */
    async resolve(workspaceId: string, deliveryId: string, resolutions: Resolution[]): Promise<ResolvedAlert[]> {
      if (resolutions.length === 0) return []
      // committed before any run is sought: a run that starts meanwhile finds it
      await remember(workspaceId, resolutions)
      const aimed = await aim(workspaceId, resolutions)
      // each member once at each run, even if several alerts name it
      const sent = [
        ...new Map(aimed.map((each) => [JSON.stringify([each.at_fingerprint, each.member]), each])).values(),
      ]
      const fingerprints = [...new Set(sent.map((each) => each.at_fingerprint))].sort()
      const [row] = await unlessStuck(
        db<{ resolved: ResolvedAlert[] }[]>`
          with noted as materialized (
            select resolve_alerts(${workspaceId}, ${deliveryId}, ${fingerprints}::text[],
              ${sent.map((each) => each.at_fingerprint)}::text[], ${sent.map((each) => each.member)}::text[],
              ${sent.map((each) => each.ends_at ?? null)}::text[]) as resolved
          ), states as (
            update run_alert_states s set status = 'resolved', updated_at = now(),
              alert = alert || jsonb_strip_nulls(jsonb_build_object('ends_at', ended.ends_at))
            from noted, jsonb_to_recordset(noted.resolved) n(run_id text, fingerprint text, member text, late boolean)
            join unnest(${sent.map((each) => each.at_fingerprint)}::text[], ${sent.map((each) => each.member)}::text[],
              ${sent.map((each) => each.ends_at ?? null)}::text[]) ended(fingerprint, member, ends_at) using (fingerprint, member)
            where s.run_id = n.run_id and s.member = n.member and not n.late
          )
          select resolved from noted`,
      )
      return (row?.resolved ?? []).flatMap((each) =>
        aimed
          .filter((one) => one.at_fingerprint === each.fingerprint && one.member === each.member)
          .map(({ fingerprint }) => ({ ...each, fingerprint })),
      )
    },

    /** Forgets ends past their time; called by a sweep. */
    purgeEnds: (): Promise<number> =>
      inBatches(
        (limit) => db`
          delete from alert_ends where (workspace_id, scope, member) in (
            select workspace_id, scope, member from alert_ends
            where received_at < now() - ${ENDS_KEPT_DAYS} * interval '1 day' order by received_at limit ${limit})`,
      ),
  }

  async function remember(workspaceId: string, resolutions: Resolution[]): Promise<void> {
    const timed = resolutions.filter(({ ends_at }) => ends_at !== undefined)
    if (timed.length === 0) return
    await db`
      insert into alert_ends as e (workspace_id, scope, member, ended_at)
      select ${workspaceId}, scope, member, max(stated_time(ends_at))
      from unnest(${timed.map((each) => each.scope ?? each.fingerprint)}::text[], ${timed.map((each) => each.member)}::text[],
        ${timed.map((each) => each.ends_at ?? null)}::text[]) t(scope, member, ends_at)
      where stated_time(ends_at) is not null group by scope, member order by scope, member
      on conflict (workspace_id, scope, member) do update set ended_at = excluded.ended_at, received_at = now()
        where e.ended_at < excluded.ended_at`
  }

  /**
   * Assigns each resolution: to its own fingerprint, unless its member is only known elsewhere, and to the active runs of other
   * fingerprints where it fires, which it had before.
   */
  async function aim(
    workspaceId: string,
    resolutions: Resolution[],
  ): Promise<(Resolution & { at_fingerprint: string })[]> {
    const own = resolutions.filter(({ fingerprint, scope = fingerprint }) => scope !== fingerprint)
    const found =
      own.length === 0
        ? []
        : await db<(MemberRef & { fires: boolean })[]>`
            select distinct r.fingerprint, t.member, newest.fires
            from unnest(${own.map((each) => each.member)}::text[], ${own.map((each) => each.scope ?? '')}::text[]) t(member, scope)
            cross join lateral (
              select run_id, coalesce(fired_at > ended_at, fired_at is not null) as fires
              from run_alert_members m where m.workspace_id = ${workspaceId} and m.member = t.member
              order by run_id desc limit ${NEWEST_RUNS}) newest
            join runs r on r.id = newest.run_id and r.workspace_id = ${workspaceId} and split_part(r.fingerprint, '|', 1) = t.scope
              and r.status in ('queued', 'running', 'awaiting_approval', 'cancelling')`
    return resolutions.flatMap((each) => {
      const { fingerprint, member, scope = fingerprint } = each
      const where = found.filter((one) => one.member === member && one.fingerprint.startsWith(`${scope}|`))
      const others = where.filter((one) => one.fires && one.fingerprint !== fingerprint)
      const isKnown = others.length === 0 || where.some((one) => one.fingerprint === fingerprint)
      return [...(isKnown ? [fingerprint] : []), ...others.map((one) => one.fingerprint)].map((at_fingerprint) => ({
        ...each,
        at_fingerprint,
      }))
    })
  }
}

export type AlertStore = ReturnType<typeof createAlertStore>
