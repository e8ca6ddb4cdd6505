import type { CloudEvent } from '#core/bus/cloud-event.ts'
import type { Db } from './db.ts'

export interface RunTransition {
  run_id: string
  seq: number
  ts: string
  event: CloudEvent
}

/** What happened to runs, as it stands on the bus; the durable bus needs no reader, a trigger writes it there. */
export function createRunTransitions(db: Db) {
  return {
    /** What each run has beyond the number known of it, in the order in which it happened. */
    async after(known: { run_id: string; after_seq: number }[]): Promise<RunTransition[]> {
      if (known.length === 0) return []
      return await db<RunTransition[]>`
        select e.run_id, e.seq, e.ts, b.event
        from unnest(${known.map((run) => run.run_id)}::text[], ${known.map((run) => run.after_seq)}::bigint[]) as k(run_id, after_seq)
        join run_events e on e.run_id = k.run_id and e.seq > k.after_seq and is_on_bus(e.type)
        cross join lateral bus_events(e) with ordinality b(event, position)
        order by e.ts, e.run_id, e.seq, b.position`
    },
  }
}

export type RunTransitions = ReturnType<typeof createRunTransitions>
