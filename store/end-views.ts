import type { GateStatus } from '#core/gate/types.ts'
import type { JsonObject } from '#core/json.ts'
import type { RunOnRecord } from '#core/notify/run-on-record.ts'
import type { TerminalStatus } from '#core/run/status.ts'
import type { Db } from './db.ts'

/** A run that has ended, with what people are told about it. */
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
    resolved_by: string | null
  }[]
  asked: { gate_id: string; channel: string; recipient: string }[]
}

/** What a notice about the end of a run says. */
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
             'resolved_by', coalesce(nullif(u.display_name, ''), u.email, g.resolution ->> 'by')) order by g.opened_at, g.id), '[]')
           from gates g left join users u on u.id = g.resolution ->> 'by' where g.run_id = r.id) as gates,
          (select coalesce(jsonb_agg(distinct jsonb_build_object('gate_id', n.gate_id, 'channel', n.channel,
             'recipient', n.recipient)), '[]')
           from notice_deliveries n join gates g on g.id = n.gate_id
           where g.run_id = r.id and n.kind <> 'resolved' and n.status = 'delivered') as asked
        from runs r join plans p on p.digest = r.plan_digest
        where r.id = ${runId} and r.ended_at is not null`
      return row
    },
  }
}

export type EndViews = ReturnType<typeof createEndViews>
