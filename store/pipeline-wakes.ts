import type { PipelineStart } from '#core/pipeline/contract.ts'
import type { Db } from './db.ts'

/** Notified when a pipeline has news. */
export const PIPELINES_CHANNEL = 'svc_pipelines'

/** Finds the pipelines that are to be started or woken, for the loop that does it. */
export function createPipelineWakes(db: Db) {
  return {
    /** Those that are on record and that the engine does not know yet, some time after they were started. */
    async unstarted(olderThanMs: number, limit: number): Promise<PipelineStart[]> {
      return await db<PipelineStart[]>`
        select p.id as pipeline_id, p.workspace_id, p.name, p.environment from pipeline_outbox o join pipelines p on p.id = o.pipeline_id
        where o.created_at + ${olderThanMs} * interval '1 millisecond' < now() order by o.created_at limit ${limit}`
    },

    /** Takes the pipelines that have news. Whoever takes them wakes them, or says `wake` again. */
    async takeWakes(limit: number): Promise<string[]> {
      const rows = await db<{ pipeline_id: string }[]>`
        delete from pipeline_wakes where id = any(array(
          select id from pipeline_wakes order by id limit ${limit} for update skip locked)) returning pipeline_id`
      return [...new Set(rows.map(({ pipeline_id }) => pipeline_id))]
    },

    async wake(ids: string[]): Promise<void> {
      await db`select wake_pipeline(id) from unnest(${ids}::text[]) t(id)`
    },

    /** What starts these again, of those that have not ended. */
    async findStarts(ids: string[]): Promise<PipelineStart[]> {
      return await db<PipelineStart[]>`
        select id as pipeline_id, workspace_id, name, environment from pipelines where id = any(${ids}::text[]) and ended_at is null`
    },

    /** Steps that wait for events, and up to where the log was looked at for each. */
    async waitingForEvents(): Promise<
      { pipeline_id: string; workspace_id: string; topic: string; after_id: number | null }[]
    > {
      return await db`
        select s.pipeline_id, p.workspace_id, s.topic, s.after_id from pipeline_steps s join pipelines p on p.id = s.pipeline_id
        where s.state = 'waiting_event'`
    },

    /** Open ones of which nothing was recorded for so long although something of theirs is due, or has ended. */
    async overdue(olderThanMs: number, limit: number): Promise<string[]> {
      const rows = await db<{ id: string }[]>`
        select p.id from pipelines p where p.ended_at is null and p.updated_at + ${olderThanMs} * interval '1 millisecond' < now()
          and (exists (select from pipeline_steps s where s.pipeline_id = p.id and s.ended_at is null
                and least(s.fire_at, case when s.paused_at is null and not s.timed_out then s.deadline_at end)
                  + ${olderThanMs} * interval '1 millisecond' < now())
            or exists (select from pipeline_steps s where s.pipeline_id = p.id and s.state = 'ready' and s.advanced is not null)
            or exists (select from pipeline_children c left join runs r on r.id = c.run_id where c.pipeline_id = p.id and c.ended_at is null
                and (r.status is distinct from c.status and coalesce(c.not_before, '-infinity') + ${olderThanMs} * interval '1 millisecond' < now()
                  or c.cancel_reason is not null and r.ended_at is null and r.status <> 'cancelling'))
            or (p.cancel is not null and p.closing ->> 'as' is distinct from 'cancelled'
              and exists (select from pipeline_steps s where s.pipeline_id = p.id and s.ended_at is null)))
        limit ${limit}`
      return rows.map(({ id }) => id)
    },
  }
}

export type PipelineWakes = ReturnType<typeof createPipelineWakes>
