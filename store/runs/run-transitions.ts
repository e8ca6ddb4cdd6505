import type { CloudEvent } from '#core/bus/cloud-event.ts'
import type { Db } from '../db.ts'

export interface RunTransition {
  run_id: string
  ts: string
  event: CloudEvent
}

export interface RunUpdates {
  transitions: RunTransition[]
  /** position up to which each run was read */
  read_to: Map<string, number>
}

type Row = { run_id: string; read_to: number } & ({ ts: string; event: CloudEvent } | { ts: null; event: null })

/** Transitions of runs as events for the bus in memory; the durable bus needs no reader, a trigger writes them there. */
export function createRunTransitions(db: Db) {
  return {
    /** Returns the events of each run after its known number, in order. */
    async after(known: { run_id: string; after_seq: number }[]): Promise<RunUpdates> {
      if (known.length === 0) return { transitions: [], read_to: new Map() }
      const rows = await db<Row[]>`
        select r.id as run_id, r.last_seq as read_to, e.ts, b.event
        from unnest(${known.map((run) => run.run_id)}::text[], ${known.map((run) => run.after_seq)}::bigint[]) as k(run_id, after_seq)
        join runs r on r.id = k.run_id
        left join run_events e on e.run_id = r.id and e.seq > k.after_seq and is_on_bus(e.type)
        left join lateral bus_events(e) with ordinality b(event, position) on e.run_id is not null
        order by e.ts, e.run_id, e.seq, b.position`
      return {
        transitions: rows.flatMap(({ run_id, ts, event }) => (ts === null ? [] : [{ run_id, ts, event }])),
        read_to: new Map(rows.map(({ run_id, read_to }) => [run_id, read_to])),
      }
    },
  }
}

export type RunTransitions = ReturnType<typeof createRunTransitions>
