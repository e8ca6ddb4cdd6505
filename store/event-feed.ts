import type { RunEvent } from '#core/run/event-schema.ts'
import type { Db } from './db.ts'
import { type TenantDb, unscoped } from './tenant-db.ts'

/** New events of one run, read in one snapshot: once `terminal` and past `last_seq`, no more come. */
export interface RunUpdate {
  run_id: string
  last_seq: number
  terminal: boolean
  events: RunEvent[]
}

/** A page ends early when its events are large. */
const PAGE_BYTES = 1_000_000

/** Reads of the event log. One statement serves any number of runs, of all workspaces; `head` checks the workspace first. */
export function createEventFeed(db: Db, tenants: TenantDb = unscoped(db)) {
  return {
    /** Returns the events of each run after its known number, at most `limit` each. Unknown runs are left out. */
    async updates(known: { run_id: string; after_seq: number }[], limit: number): Promise<RunUpdate[]> {
      if (known.length === 0) return []
      return db<RunUpdate[]>`
        select r.id as run_id, r.last_seq, (r.ended_at is not null) as terminal, e.events
        from unnest(${known.map((run) => run.run_id)}::text[], ${known.map((run) => run.after_seq)}::bigint[]) as k(run_id, after_seq)
        join runs r on r.id = k.run_id
        cross join lateral (
          select coalesce(jsonb_agg(jsonb_strip_nulls(jsonb_build_object('seq', x.seq, 'id', x.run_id || '.' || x.seq,
            'run_id', x.run_id, 'type', x.type, 'ts', to_char(x.ts at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
            'step', x.step_id, 'actor', x.actor)) || jsonb_build_object('data', x.data) order by x.seq), '[]') as events
          from (
            select *, sum(pg_column_size(data)) over (order by seq) as bytes, row_number() over (order by seq) as n
            from (select * from run_events where run_id = k.run_id and seq > k.after_seq and r.last_seq > k.after_seq
                  order by seq limit ${limit}) page
          ) x where x.bytes <= ${PAGE_BYTES} or x.n = 1
        ) e`
    },

    /** Number of the newest event and whether the run has ended; undefined for a foreign or unknown run. */
    async head(workspaceId: string, runId: string): Promise<{ last_seq: number; terminal: boolean } | undefined> {
      const [row] = await tenants.in(
        workspaceId,
        (db) => db<{ last_seq: number; terminal: boolean }[]>`
        select last_seq, (ended_at is not null) as terminal from runs
        where id = ${runId} and workspace_id = ${workspaceId}`,
      )
      return row
    },
  }
}

export type EventFeed = ReturnType<typeof createEventFeed>
