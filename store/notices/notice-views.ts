import type { EnvironmentClass } from '#core/environment/environment.ts'
import type { Decision, GateKind, GateStatus } from '#core/gate/types.ts'
import type { GateOnRecord } from '#core/notify/gate-facts.ts'
import type { RecordedResolution } from '#core/run/patch.ts'
import type { Db } from '../db.ts'
import type { AnsweredGate } from '../gates/gate-decisions.ts'
import { answeredGate } from '../gates/vote-columns.ts'

/** A gate with the facts of its notices. */
export interface NoticeRow extends Omit<GateOnRecord, 'votes'>, AnsweredGate {
  kind: GateKind
  environment_class: EnvironmentClass
  workspace_name: string
  status: GateStatus
  opened_at: string
  resolved_at: string | null
  resolution: RecordedResolution | null
}

/** A vote on a gate that a service account has given in the name of a person. */
interface AnswerInName {
  /** of the person */
  email: string
  account: string
  decision: Decision
  note: string | null
  at: string
}

const MAX_PEOPLE = 200

/** The facts of a notice or an approval page. */
export function createNoticeViews(db: Db) {
  return {
    /** undefined for an unknown gate */
    async find(gateId: string): Promise<NoticeRow | undefined> {
      const [row] = await db<NoticeRow[]>`
        select g.run_id, g.workspace_id, w.name as workspace_name, g.kind, g.step_id as step, g.status, g.view,
          g.opened_at, g.expires_at, g.resolved_at, g.resolution, r.pack, r.template, r.environment, coalesce(g.view #>> '{operation,risk}', r.risk) as risk, r.environment_class,
          r.dry_run, r.provenance, p.plan ->> 'title' as title,
          (select alert from run_trigger_alerts where run_id = r.id) as alert,
          ${answeredGate(db)},
          (select s ->> 'action_type' from jsonb_array_elements(p.plan -> 'steps') s where s ->> 'id' = g.step_id) as action_type,
          (select coalesce(jsonb_agg(jsonb_build_object('id', u.id, 'name', u.name, 'roles', u.roles,
             'approval_roles', u.approval_roles)), '[]')
           from (select id, coalesce(nullif(display_name, ''), email) as name, roles, approval_roles from users
                 where status = 'active' and workspaces && array['*', g.workspace_id] order by name limit ${MAX_PEOPLE}) u) as people
        from gates g join runs r on r.id = g.run_id join workspaces w on w.id = g.workspace_id
        join plans p on p.digest = r.plan_digest
        where g.id = ${gateId}`
      return row
    },

    /** Returns the answers of service accounts in the names of people who can sign in, in order. */
    async answeredFor(gateId: string): Promise<AnswerInName[]> {
      return db<AnswerInName[]>`
        select u.email, coalesce(nullif(a.display_name, ''), a.email, d.via) as account, d.decision, d.note,
          iso_time(d.decided_at) as at
        from gate_decisions d join users u on u.id = d.decided_by left join users a on a.id = d.via
        where d.gate_id = ${gateId} and d.via is not null and u.status = 'active' order by d.decided_at, d.decision_id`
    },
  }
}

export type NoticeViews = ReturnType<typeof createNoticeViews>
