import type { GateStatus, Required } from '#core/gate/types.ts'
import type { JsonObject } from '#core/json.ts'
import type { Risk } from '#core/policy/types.ts'
import type { Db } from './db.ts'

/** A gate with what people are told about it. */
export interface NoticeView {
  gate_id: string
  run_id: string
  workspace_id: string
  workspace_name: string
  step: string
  status: GateStatus
  plan_hash: string
  required: Required
  /** what was written when the gate opened */
  view: JsonObject
  opened_at: string
  expires_at: string
  resolved_at: string | null
  resolution: JsonObject | null
  pack: string
  template: string
  environment: string
  risk: Risk
}

/** What a notice or an approval page says about a gate. */
export function createNoticeViews(db: Db) {
  return {
    /** undefined for an unknown gate */
    async find(gateId: string): Promise<NoticeView | undefined> {
      const [row] = await db<NoticeView[]>`
        select g.id as gate_id, g.run_id, g.workspace_id, w.name as workspace_name, g.step_id as step, g.status, g.plan_hash,
          g.required, g.view, g.opened_at, g.expires_at, g.resolved_at, g.resolution, r.pack, r.template, r.environment, r.risk
        from gates g join runs r on r.id = g.run_id join workspaces w on w.id = g.workspace_id
        where g.id = ${gateId}`
      return row
    },
  }
}

export type NoticeViews = ReturnType<typeof createNoticeViews>
