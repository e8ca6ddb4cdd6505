import type { Vote } from '#core/gate/tally.ts'
import type { GateKind, Required } from '#core/gate/types.ts'
import type { JsonObject } from '#core/json.ts'
import type { RunStatus } from '#core/run/status.ts'
import type { TenantDb } from './tenant-db.ts'

export interface OpenGateView {
  run_id: string
  status: RunStatus
  gate_id: string | null
  kind: GateKind
  step: string
  opened_at: string
  expires_at: string
  plan_hash: string
  required: Required
  /** what was written when the gate opened */
  view: JsonObject
  spent_micro_usd: number
  reserved_micro_usd: number
  cap_micro_usd: number
  provenance: JsonObject
  decisions: (Vote & { at: string; channel: string; note: string | null })[]
  /** those of the requesters and voters who are users */
  people: { id: string; display: string; email: string }[]
}

/** Reads of open gates. */
export function createApprovalViews(tenants: TenantDb) {
  return {
    /** The run with its open gate, if it has one; undefined for a foreign or unknown run. */
    async findOpen(workspaceId: string, runId: string): Promise<OpenGateView | undefined> {
      const [row] = await tenants.in(
        workspaceId,
        (db) => db<OpenGateView[]>`
        select r.id as run_id, r.status, r.cap_micro_usd, r.reserved_micro_usd,
          r.llm_micro_usd + r.gpu_micro_usd + r.storage_micro_usd as spent_micro_usd,
          r.provenance, g.id as gate_id, g.kind, g.step_id as step, g.opened_at, g.expires_at, g.plan_hash, g.required, g.view,
          (select coalesce(jsonb_agg(jsonb_strip_nulls(jsonb_build_object('by', d.decided_by, 'decision', d.decision,
             'roles', to_jsonb(d.roles), 'asserted', d.asserted, 'via', d.via, 'delegations', d.delegations))
             || jsonb_build_object('at', d.decided_at, 'channel', d.channel, 'note', d.note) order by d.decided_at), '[]')
           from gate_decisions d where d.gate_id = g.id) as decisions,
          (select coalesce(json_agg(json_build_object('id', u.id, 'display', coalesce(u.display_name, u.email), 'email', u.email)
             order by u.id), '[]')
           from users u where u.id in (r.provenance #>> '{actor,id}', r.provenance #>> '{human_root,user_id}')
             or u.id in (select unnest(array[d.decided_by, d.via]) from gate_decisions d where d.gate_id = g.id)
             or u.email in (select d.decided_by from gate_decisions d where d.gate_id = g.id)) as people
        from runs r left join gates g on g.run_id = r.id and g.status = 'open'
        where r.id = ${runId} and r.workspace_id = ${workspaceId}`,
      )
      return row
    },
  }
}

export type ApprovalViews = ReturnType<typeof createApprovalViews>
