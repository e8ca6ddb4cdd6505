import { LANES, type Lane } from '#core/contract.ts'
import type { EnvironmentClass } from '#core/environment/environment.ts'
import type { Decision, GateStatus } from '#core/gate/types.ts'
import type { JsonObject } from '#core/json/json.ts'
import type { Risk } from '#core/policy/types.ts'
import { RUN_STATUSES, type RunStatus, type StepState } from '#core/run/status.ts'
import type { AlertRecord } from '#core/trigger/alert-record.ts'
import type { Db } from '../db.ts'
import type { TenantDb } from '../tenant-db.ts'

/** A run with everything that people see of it. Times inside `steps`, `gates` and `alerts` are as Postgres writes them in JSON. */
export interface RunView {
  id: string
  workspace_id: string
  pack: string
  template: string
  template_version: string
  template_digest: string
  /** that of its template, unless the run was started with a gate of its own */
  plan_digest: string
  status: RunStatus
  status_reason: string | null
  lane: Lane
  environment: string
  environment_class: EnvironmentClass
  profile: string
  config_preset: string | null
  sandbox: boolean
  dry_run: boolean
  risk: Risk
  action_types: string[]
  capabilities: string[]
  inputs: JsonObject
  inputs_hash: string
  outputs: JsonObject | null
  error: JsonObject | null
  reason: string | null
  labels: Record<string, string>
  provenance: JsonObject
  fingerprint: string | null
  attached_count: number
  cap_micro_usd: number
  llm_micro_usd: number
  gpu_micro_usd: number
  storage_micro_usd: number
  reserved_micro_usd: number
  current_step: string | null
  created_at: string
  queued_at: string
  started_at: string | null
  awaiting_since: string | null
  ended_at: string | null
  updated_at: string
  /** place in the list, exact to the microsecond */
  position: string
  plan_steps: { id: string; name: string; operator: string }[]
  steps: StepView[]
  gates: { gate_id: string; step: string; status: GateStatus; opened_at: string; resolved_at: string | null }[]
  alerts: { delivery_id: string; status: 'firing' | 'resolved'; received_at: string; digest: string | null }[]
}

/** A run with the alert that started it and the answers to its gates, which lists leave out. */
export interface RunDetail extends RunView {
  trigger: RunAlerts | null
  decisions: {
    gate_id: string
    by: string
    /** of a user */
    name: string | null
    via: { id: string; name: string | null } | null
    decision: Decision
    channel: string
    at: string
    note: string | null
  }[]
}

export interface RunAlerts {
  alert: AlertRecord
  members: {
    member: string
    status: AlertRecord['status']
    alert: AlertRecord
    received_at: string
    updated_at: string
  }[]
  members_cut: boolean
}

export interface StepView {
  step_id: string
  state: StepState
  attempt: number
  plan_hash: string | null
  message: string | null
  cost_micro_usd: number
  started_at: string | null
  ended_at: string | null
}

export interface RunFilter {
  workspace_id: string
  lane?: Lane | undefined
  statuses?: RunStatus[] | undefined
}

/** Reads of runs as people see them. */
export function createRunViews(tenants: TenantDb) {
  const columns = (db: Db) => db`
    r.id, r.workspace_id, r.pack, r.template, r.template_version, r.template_digest, r.plan_digest, r.status, r.status_reason,
    r.lane, r.environment, r.environment_class, r.profile, r.config_preset, r.sandbox, r.dry_run, r.risk, r.action_types,
    r.capabilities, r.inputs, r.inputs_hash, r.outputs, r.error, r.reason, r.labels, r.provenance, r.fingerprint,
    r.attached_count, r.cap_micro_usd, r.llm_micro_usd, r.gpu_micro_usd, r.storage_micro_usd, r.reserved_micro_usd,
    r.current_step, r.created_at, r.queued_at, r.started_at, r.awaiting_since, r.ended_at, r.updated_at,
    r.created_at::text as position,
    planned.steps as plan_steps,
    (select coalesce(json_agg(json_build_object('step_id', s.step_id, 'state', s.state, 'attempt', s.attempt,
       'plan_hash', s.plan_hash, 'message', s.message, 'cost_micro_usd', s.cost_micro_usd,
       'started_at', s.started_at, 'ended_at', s.ended_at) order by s.ordinal), '[]')
     from visible_run_steps s where s.run_id = r.id) as steps,
    (select coalesce(json_agg(json_build_object('gate_id', g.id, 'step', g.step_id, 'status', g.status,
       'opened_at', g.opened_at, 'resolved_at', g.resolved_at) order by g.opened_at), '[]')
     from gates g where g.run_id = r.id) as gates,
    (select coalesce(json_agg(json_build_object('delivery_id', a.delivery_id, 'status', a.status,
       'received_at', a.received_at, 'digest', a.digest) order by a.id desc), '[]')
     from (select * from visible_run_alerts where run_id = r.id order by id desc limit 50) a) as alerts`

  // runs of one plan share the read of it
  const source = (db: Db) => db`
    runs r left join lateral (
      select coalesce(json_agg(json_build_object('id', s -> 'id', 'name', s -> 'name', 'operator', s -> 'operator')
        order by n), '[]') as steps
      from plans p, jsonb_array_elements(p.plan -> 'steps') with ordinality t(s, n) where p.digest = r.plan_digest
    ) planned on true`

  // each lane with each status is a stretch of one index in the order of the list, however rare it is
  const pairs = (db: Db, { lane, statuses }: RunFilter) => db`
    unnest(${lane === undefined ? [...LANES] : [lane]}::text[]) as l(lane)
    cross join unnest(${[...new Set(statuses ?? RUN_STATUSES)]}::text[]) as s(status)`
  const narrowed = ({ lane, statuses }: RunFilter) => lane !== undefined || statuses !== undefined

  return {
    /** Newest first, after a place in the list. */
    async list(
      filter: RunFilter,
      { limit, after }: { limit: number; after?: { position: string; id: string } | undefined },
    ): Promise<RunView[]> {
      const { workspace_id } = filter
      return tenants.in(workspace_id, (db) => {
        const beyond =
          after === undefined ? db`` : db`and (r.created_at, r.id) < (${after.position}::timestamptz, ${after.id})`
        if (!narrowed(filter))
          return db<RunView[]>`
            select ${columns(db)} from ${source(db)} where r.workspace_id = ${workspace_id} ${beyond}
            order by r.created_at desc, r.id desc limit ${limit}`
        return db<RunView[]>`
          select ${columns(db)} from ${source(db)} where r.id = any(array(
            select page.id from ${pairs(db, filter)} cross join lateral (
              select r.id, r.created_at from runs r
              where r.workspace_id = ${workspace_id} and r.lane = l.lane and r.status = s.status ${beyond}
              order by r.created_at desc, r.id desc limit ${limit}
            ) page order by page.created_at desc, page.id desc limit ${limit}))
          order by r.created_at desc, r.id desc`
      })
    },

    /** Returns runs by id, newest first. */
    async byIds(workspaceId: string, ids: string[]): Promise<RunView[]> {
      if (ids.length === 0) return []
      return tenants.in(
        workspaceId,
        (db) => db<RunView[]>`
        select ${columns(db)} from ${source(db)} where r.id = any(${ids}::text[]) and r.workspace_id = ${workspaceId}
        order by r.created_at desc, r.id desc`,
      )
    },

    /** Counts the matches, up to `up_to`. */
    async count(filter: RunFilter, up_to: number): Promise<number> {
      const { workspace_id } = filter
      // the oldest are counted: concurrent writes are at the other end
      const [row] = await tenants.in(workspace_id, (db) => {
        const some = narrowed(filter)
          ? db`
            select from ${pairs(db, filter)} cross join lateral (
              select from runs r where r.workspace_id = ${workspace_id} and r.lane = l.lane and r.status = s.status
              order by r.created_at, r.id limit ${up_to}
            ) of_pair`
          : db`select from runs r where r.workspace_id = ${workspace_id} order by r.created_at, r.id`
        return db<{ count: number }[]>`select count(*) as count from (${some} limit ${up_to}) counted`
      })
      return row?.count ?? 0
    },

    /** Undefined for a foreign or unknown run. */
    async find(workspaceId: string, runId: string): Promise<RunDetail | undefined> {
      const [row] = await tenants.in(
        workspaceId,
        (db) => db<RunDetail[]>`
        select ${columns(db)},
          (select json_build_object('alert', t.alert, 'members_cut', t.members_cut, 'members',
             (select coalesce(json_agg(json_build_object('member', s.member, 'status', s.status, 'alert', s.alert,
                'received_at', s.received_at, 'updated_at', s.updated_at) order by s.received_at, s.member), '[]')
              from run_alert_states s where s.run_id = t.run_id))
           from run_trigger_alerts t where t.run_id = r.id) as trigger,
          (select coalesce(json_agg(json_build_object('gate_id', d.gate_id, 'by', d.decided_by,
             'name', coalesce(nullif(u.display_name, ''), u.email), 'via', case when d.via is not null then json_build_object('id', d.via,
                'name', coalesce(nullif(a.display_name, ''), a.email)) end, 'decision', d.decision, 'channel', d.channel,
             'at', d.decided_at, 'note', d.note) order by d.decided_at), '[]')
           from gates g join gate_decisions d on d.gate_id = g.id left join users u on u.id = d.decided_by
             left join users a on a.id = d.via
           where g.run_id = r.id) as decisions
        from ${source(db)} where r.id = ${runId} and r.workspace_id = ${workspaceId}`,
      )
      return row
    },
  }
}

export type RunViews = ReturnType<typeof createRunViews>
