import { PIPELINE_ENDS } from '#core/pipeline/transitions.ts'
import { DAY_MS } from '#core/time/time.ts'
import type { Db } from '../db.ts'

/** As which a pipeline ends that takes something back. */
const NOT_WELL = PIPELINE_ENDS.filter((status) => status !== 'succeeded')

/** How the pipelines of a workspace stand. */
export interface PipelineHealth {
  queued: number
  running: number
  blocked: number
  /** that ended in the last day, and in which something that was to be taken back is still there */
  not_taken_back: number
}

export async function pipelineHealth(db: Db, workspaceId: string): Promise<PipelineHealth> {
  const [row] = await db<PipelineHealth[]>`
    select (count(*) filter (where status = 'queued'))::int as queued, (count(*) filter (where status = 'running'))::int as running,
      (count(*) filter (where status = 'blocked'))::int as blocked,
      (select count(*)::int from pipelines p where p.workspace_id = ${workspaceId}
        and p.status = any(${NOT_WELL}::text[])
        and p.ended_at > now() - ${DAY_MS} * interval '1 millisecond'
        and exists (select from pipeline_children c where c.pipeline_id = p.id and c.role = 'compensation'
          and c.ended_at is not null and c.status <> 'succeeded')) as not_taken_back
    from pipelines where workspace_id = ${workspaceId} and ended_at is null`
  return row ?? { queued: 0, running: 0, blocked: 0, not_taken_back: 0 }
}
