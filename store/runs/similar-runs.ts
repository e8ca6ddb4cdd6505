import type { Decision } from '#core/gate/types.ts'
import type { SimilarRun } from '#core/run/context-schema.ts'
import type { TenantDb } from '../tenant-db.ts'

export interface SimilarRunRow extends Pick<SimilarRun, 'run_id' | 'status' | 'like' | 'environment'> {
  created_at: string
  ended_at: string
  error: string | null
  decided: { by: string; name: string | null; decision: Decision; at: string; note: string | null }[]
}

/** There is no index by target or service: at most this many of the newest runs of the pack are searched. */
const MAX_SEARCHED = 500
const MAX_OF_FINGERPRINT = 50

/** Earlier runs of the same template for the same alert, target or service. */
export function createSimilarRuns(tenants: TenantDb) {
  return {
    async of(workspaceId: string, runId: string, most: number): Promise<SimilarRunRow[]> {
      return tenants.in(
        workspaceId,
        (db) => db<SimilarRunRow[]>`
        with asked as materialized (
          select r.id, r.workspace_id, r.pack, r.template, r.fingerprint,
            coalesce((select t.alert ->> 'service' from run_trigger_alerts t where t.run_id = r.id), r.inputs ->> 'service') as service,
            (select coalesce(jsonb_agg(g.view #> '{operation,targets,ids}'), '[]') from gates g where g.run_id = r.id) as targets
          from runs r where r.id = ${runId} and r.workspace_id = ${workspaceId}
        ), near as materialized (
          (select r.id from asked a join runs r on r.workspace_id = a.workspace_id and r.fingerprint = a.fingerprint
           order by r.created_at desc limit ${MAX_OF_FINGERPRINT})
          union
          (select r.id from asked a join runs r on r.workspace_id = a.workspace_id and r.pack = a.pack
           order by r.created_at desc, r.id desc limit ${MAX_SEARCHED})
        ), compared as (
          select r.*, case
            when r.fingerprint = a.fingerprint then 'alert'
            when exists (select from gates g where g.run_id = r.id and g.view #> '{operation,targets,ids}' <> '[]'
              and a.targets @> jsonb_build_array(g.view #> '{operation,targets,ids}')) then 'target'
            when a.service <> 'unknown' and a.service = coalesce(
              (select t.alert ->> 'service' from run_trigger_alerts t where t.run_id = r.id), r.inputs ->> 'service') then 'service'
          end as "like"
          from near join runs r on r.id = near.id join asked a on r.pack = a.pack and r.template = a.template and r.id <> a.id
          where r.workspace_id = ${workspaceId} and r.ended_at is not null and not r.dry_run and not r.sandbox
        )
        select c.id as run_id, c.status, c."like", c.environment, iso_time(c.created_at) as created_at, iso_time(c.ended_at) as ended_at, c.error ->> 'message' as error,
          (select coalesce(json_agg(json_build_object('by', d.decided_by, 'name', coalesce(nullif(u.display_name, ''), u.email),
             'decision', d.decision, 'at', iso_time(d.decided_at), 'note', d.note) order by d.decided_at), '[]')
           from gates g join gate_decisions d on d.gate_id = g.id left join users u on u.id = d.decided_by
           where g.run_id = c.id) as decided
        from compared c where c."like" is not null order by c.created_at desc, c.id desc limit ${most}`,
      )
    },
  }
}

export type SimilarRuns = ReturnType<typeof createSimilarRuns>
