import type { PipelineStatus } from '#core/pipeline/transitions.ts'
import type { RunStatus } from '#core/run/status.ts'
import type { TenantDb } from '../tenant-db.ts'

export interface RelatedRunRow {
  id: string
  pack: string
  template: string
  status: RunStatus
  created_at: string
  /** what started it */
  trigger: string | null
  skill: string | null
}

export interface OfPipelineRow {
  id: string
  name: string
  step: string
  role: 'run' | 'compensation'
  status: PipelineStatus
}

/** A chain of skills is far shorter: a skill that answers itself is stopped. */
const MAX_ORIGINS = 50
/** There is no index by parent, so at most this many runs of each of these triggers are searched. */
const MAX_SEARCHED = 1_000
const FOLLOWING = ['bus', 'again', 'retry']
const MAX_FOLLOWING = 100

/** The lineage of runs. Every read names the workspace: no run leads to one in another workspace. */
export function createLineageViews(tenants: TenantDb) {
  return {
    /** The runs that led to one, the nearest first. */
    async origins(workspaceId: string, runId: string): Promise<RelatedRunRow[]> {
      return tenants.in(
        workspaceId,
        (db) => db<RelatedRunRow[]>`
        with recursive up as (
          select r.*, 0 as depth from runs r where r.id = ${runId} and r.workspace_id = ${workspaceId}
          union all
          select r.*, up.depth + 1 from up
          join runs r on r.id = up.provenance -> 'trigger' ->> 'parent_run_id' and r.workspace_id = ${workspaceId}
          where up.depth < ${MAX_ORIGINS}::integer
        )
        select id, pack, template, status, created_at, trigger_type as trigger, provenance -> 'trigger' ->> 'skill' as skill
        from up where depth > 0 order by depth`,
      )
    },

    /** The pipeline that a run is of. */
    async pipeline(workspaceId: string, runId: string): Promise<OfPipelineRow | undefined> {
      const [row] = await tenants.in(
        workspaceId,
        (db) => db<OfPipelineRow[]>`
        select p.id, p.name, c.step_id as step, c.role, p.status
        from pipeline_children c join pipelines p on p.id = c.pipeline_id
        where c.run_id = ${runId} and p.workspace_id = ${workspaceId}`,
      )
      return row
    },

    /** The runs that were started for events of one, and those that repeat it, the oldest first. */
    async ledTo(workspaceId: string, runId: string): Promise<RelatedRunRow[]> {
      return tenants.in(
        workspaceId,
        (db) => db<RelatedRunRow[]>`
        select id, pack, template, status, created_at, trigger_type as trigger, provenance -> 'trigger' ->> 'skill' as skill
        from unnest(${FOLLOWING}::text[]) as f(type) cross join lateral (
          select * from runs r where r.workspace_id = ${workspaceId} and r.trigger_type = f.type
            and r.created_at >= (select created_at from runs where id = ${runId} and workspace_id = ${workspaceId})
          order by r.created_at, r.id limit ${MAX_SEARCHED}::integer
        ) later
        where provenance -> 'trigger' ->> 'parent_run_id' = ${runId}
        order by created_at, id limit ${MAX_FOLLOWING}::integer`,
      )
    },
  }
}

export type LineageViews = ReturnType<typeof createLineageViews>
