import type { PipelineClaim, PipelineStart } from '#core/pipeline/contract.ts'
import type { Db } from '../db.ts'

/** Notified when a pipeline has pending changes. */
export const PIPELINES_CHANNEL = 'svc_pipelines'

export interface PipelineWake extends PipelineClaim {
  /** true when it was evaluated, so that the engine knows a workflow of it */
  begun: boolean
  ids: string[]
}

/** Finds the pipelines that are to be started or woken, for the loop that does it. */
export function createPipelineWakes(db: Db) {
  return {
    /** Returns recorded pipelines that the engine does not know some time after their start. */
    async unstarted(olderThanMs: number, limit: number): Promise<PipelineStart[]> {
      return await db<PipelineStart[]>`
        select p.id as pipeline_id, p.workspace_id, p.name, p.environment from pipeline_outbox o join pipelines p on p.id = o.pipeline_id
        where o.created_at + ${olderThanMs} * interval '1 millisecond' < now() order by o.created_at limit ${limit}`
    },

    /** The pipelines that have pending changes, but for those in `except`; a change stays pending until it is deleted. */
    async wakes(limit: number, except: string[]): Promise<PipelineWake[]> {
      return await db<PipelineWake[]>`
        select p.id as pipeline_id, p.workspace_id, p.status <> 'queued' as begun, w.ids from pipelines p join (
          select pipeline_id, array_agg(id::text) as ids, min(id) as first from pipeline_wakes
          where pipeline_id <> all(${except}::text[]) group by pipeline_id order by first limit ${limit}
        ) w on w.pipeline_id = p.id order by w.first`
    },

    /** Deletes handled entries; later ones stay. */
    async forgetWakes(ids: string[]): Promise<void> {
      await db`delete from pipeline_wakes where id = any(${ids}::bigint[])`
    },

    /** Returns the starts of these pipelines, of those that have not ended. */
    async findStarts(ids: string[]): Promise<PipelineStart[]> {
      return await db<PipelineStart[]>`
        select id as pipeline_id, workspace_id, name, environment from pipelines where id = any(${ids}::text[]) and ended_at is null`
    },

    /** Returns steps that wait for events, each with its position in the log. */
    async waitingForEvents(): Promise<
      { pipeline_id: string; workspace_id: string; topic: string; after_id: number | null }[]
    > {
      return await db`
        select s.pipeline_id, p.workspace_id, s.topic, s.after_id from pipeline_steps s join pipelines p on p.id = s.pipeline_id
        where s.state = 'waiting_event'`
    },

    /** Open ones with something that has been due for `late_ms`, or of which nothing was recorded for `unmoved_ms` although something has ended. */
    async overdue({ late_ms, unmoved_ms }: { late_ms: number; unmoved_ms: number }, limit: number): Promise<string[]> {
      const ago = (ms: number) => db`(now() - ${ms} * interval '1 millisecond')`
      const rows = await db<{ id: string }[]>`
        select p.id from pipelines p where p.ended_at is null and (
          p.updated_at < ${ago(late_ms)} and exists (select from pipeline_steps s where s.pipeline_id = p.id and s.ended_at is null
            and least(s.fire_at, case when s.paused_at is null and not s.timed_out then s.deadline_at end) < ${ago(late_ms)})
          or p.updated_at < ${ago(unmoved_ms)} and (
            exists (select from pipeline_steps s where s.pipeline_id = p.id and s.state = 'ready' and s.advanced is not null)
            or exists (select from pipeline_children c left join runs r on r.id = c.run_id where c.pipeline_id = p.id and c.ended_at is null
              and (r.status is distinct from c.status and coalesce(c.not_before, '-infinity') < ${ago(unmoved_ms)}
                or c.cancel_reason is not null and r.ended_at is null and r.status <> 'cancelling'))
            or p.cancel is not null and p.closing ->> 'as' is distinct from 'cancelled'
              and exists (select from pipeline_steps s where s.pipeline_id = p.id and s.ended_at is null)))
        limit ${limit}`
      return rows.map(({ id }) => id)
    },
  }
}

export type PipelineWakes = ReturnType<typeof createPipelineWakes>
