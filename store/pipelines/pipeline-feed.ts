import type { PipelineEvent } from '#core/pipeline/schema.ts'
import type { Db } from '../db.ts'
import { type TenantDb, unscoped } from '../tenant-db.ts'

/** New events of one pipeline, read in one snapshot. `run_id`: its id, by the name that the common hub uses. */
export interface PipelineUpdate {
  run_id: string
  last_seq: number
  terminal: boolean
  events: PipelineEvent[]
}

/** Reads of the event logs of pipelines, in the manner of those of runs. */
export function createPipelineFeed(db: Db, tenants: TenantDb = unscoped(db)) {
  return {
    async updates(known: { run_id: string; after_seq: number }[], limit: number): Promise<PipelineUpdate[]> {
      if (known.length === 0) return []
      return await db<PipelineUpdate[]>`
        select p.id as run_id, p.last_seq, (p.ended_at is not null) as terminal,
          (select coalesce(jsonb_agg(jsonb_strip_nulls(jsonb_build_object('seq', x.seq, 'id', p.id || '.' || x.seq, 'pipeline_id', p.id,
              'type', x.type, 'ts', iso_time(x.ts), 'step', x.step_id, 'actor', x.actor)) || jsonb_build_object('data', x.data) order by x.seq), '[]')
            from (select * from pipeline_events where pipeline_id = p.id and seq > k.after_seq order by seq limit ${limit}) x) as events
        from unnest(${known.map((each) => each.run_id)}::text[], ${known.map((each) => each.after_seq)}::bigint[]) as k(id, after_seq)
        join pipelines p on p.id = k.id`
    },

    async head(workspaceId: string, id: string): Promise<{ last_seq: number; terminal: boolean } | undefined> {
      const [row] = await tenants.in(
        workspaceId,
        (db) => db<{ last_seq: number; terminal: boolean }[]>`
        select last_seq, (ended_at is not null) as terminal from pipelines where id = ${id} and workspace_id = ${workspaceId}`,
      )
      return row
    },
  }
}

export type PipelineFeed = ReturnType<typeof createPipelineFeed>
