import type { GateStatus } from '#core/gate/types.ts'
import type { JsonObject } from '#core/json/json.ts'
import { ASKING_KINDS } from '#core/notify/contract.ts'
import type { RunOnRecord } from '#core/notify/types.ts'
import type { TerminalStatus } from '#core/run/status.ts'
import type { Db } from '../db.ts'

/** An ended run, with the facts of its notices. */
export interface EndView extends RunOnRecord {
  status: TerminalStatus
  status_reason: string | null
  error: JsonObject | null
  started_at: string | null
  ended_at: string
  /** in the order in which they were opened */
  gates: {
    gate_id: string
    step: string
    status: GateStatus
    plan_hash: string
    summary: string | null
    action_type: string | null
    channels: string[]
    escalate_to: string[]
    /** names of its approvers; for another end of the gate, the user who ended it */
    decided_by: string[]
  }[]
  /** requesters that are users */
  requesters: { id: string; name: string }[]
  asked: { gate_id: string; channel: string; recipient: string }[]
}

/** The facts of a notice about the end of a run. */
export function createEndViews(db: Db) {
  return {
    /** undefined for an unknown run, and for one that has not ended */
    async find(runId: string): Promise<EndView | undefined> {
      const [row] = await db<EndView[]>`
        select r.id as run_id, r.workspace_id, r.status, r.status_reason, r.error, r.pack, r.template, p.plan ->> 'title' as title,
          r.environment, r.environment_class, r.risk, r.dry_run, r.provenance, r.started_at, r.ended_at,
          (select alert from run_trigger_alerts where run_id = r.id) as alert,
          (select coalesce(jsonb_agg(jsonb_build_object('gate_id', g.id, 'step', g.step_id, 'status', g.status,
             'plan_hash', g.plan_hash, 'summary', g.view #> '{plan,summary}', 'action_type',
             (select s -> 'action_type' from jsonb_array_elements(p.plan -> 'steps') s where s ->> 'id' = g.step_id),
             'channels', coalesce(g.view -> 'channels', '[]'), 'escalate_to', coalesce(g.view #> '{sla,escalate_to}', '[]'),
             'decided_by', coalesce(
               (select jsonb_agg(coalesce(nullif(u.display_name, ''), u.email, d.decided_by) order by d.decided_at)
                from gate_decisions d left join users u on u.id = d.decided_by
                where d.gate_id = g.id and d.decision = 'approve' and g.status = 'approved'
                  and coalesce(g.resolution -> 'counted' ? d.decision_id, true)),
               (select jsonb_agg(coalesce(nullif(u.display_name, ''), u.email, by_id))
                from (select g.resolution ->> 'by' as by_id) l left join users u on u.id = by_id where by_id is not null), '[]')
             ) order by g.opened_at, g.id), '[]')
           from gates g where g.run_id = r.id) as gates,
          (select coalesce(jsonb_agg(jsonb_build_object('id', u.id, 'name', coalesce(nullif(u.display_name, ''), u.email))), '[]')
           from users u where u.id in (r.provenance #>> '{actor,id}', r.provenance #>> '{human_root,user_id}')) as requesters,
          (select coalesce(jsonb_agg(distinct jsonb_build_object('gate_id', n.gate_id, 'channel', n.channel,
             'recipient', n.recipient)), '[]')
           from notice_deliveries n join gates g on g.id = n.gate_id
           where g.run_id = r.id and n.kind = any(${[...ASKING_KINDS]}::text[]) and n.status = 'delivered') as asked
        from runs r join plans p on p.digest = r.plan_digest
        where r.id = ${runId} and r.ended_at is not null`
      return row
    },
  }
}

export type EndViews = ReturnType<typeof createEndViews>
