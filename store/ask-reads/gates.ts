import type { GateStatus } from '#core/gate/types.ts'
import type { JsonObject } from '#core/json/json.ts'
import type { AskRead } from './read.ts'

export interface AskGateRow {
  gate_id: string
  run_id: string
  template: string
  environment: string
  step: string
  kind: string
  status: GateStatus
  required: JsonObject
  opened_at: string
  expires_at: string
  resolved_at: string | null
  /** `counted`: by the record; an open gate has none yet */
  decisions: {
    decision_id: string
    counted: boolean
    by: string
    decision: string
    channel: string
    note: string | null
    at: string
  }[]
}

/** Gates with the answers to them: those that wait the longest first, else the newest first. */
export async function listAskGates(
  { workspace_id, in: read }: AskRead,
  { status, run_id }: { status?: GateStatus | undefined; run_id?: string | undefined },
  limit: number,
): Promise<AskGateRow[]> {
  return await read((db) => {
    const order = status === 'open' ? db`g.opened_at, g.id` : db`g.opened_at desc, g.id`
    return db<AskGateRow[]>`
    with listed as (
      select id, run_id, step_id, kind, status, required, opened_at, expires_at, resolved_at, resolution from gates g
      where workspace_id = ${workspace_id} ${status === undefined ? db`` : db`and status = ${status}`}
        ${run_id === undefined ? db`` : db`and run_id = ${run_id}`}
      order by ${order} limit ${limit})
    select g.id as gate_id, g.run_id, r.pack || '/' || r.template as template, r.environment, g.step_id as step, g.kind, g.status,
      g.required, g.opened_at, g.expires_at, g.resolved_at,
      (select coalesce(json_agg(json_build_object('decision_id', d.decision_id,
         'counted', g.status <> 'open' and coalesce(g.resolution -> 'counted' ? d.decision_id, true), 'by', d.decided_by, 'decision', d.decision, 'channel', d.channel, 'note', d.note,
         'at', d.decided_at) order by d.decided_at), '[]')
       from gate_decisions d where d.gate_id = g.id) as decisions
    from listed g join runs r on r.id = g.run_id and r.workspace_id = ${workspace_id}
    order by ${order}`
  })
}
