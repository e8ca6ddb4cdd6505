import type { EnvironmentClass } from '#core/environment/environment.ts'
import type { Decision, GateKind, Required } from '#core/gate/types.ts'
import type { JsonObject } from '#core/json/json.ts'
import type { Risk } from '#core/policy/types.ts'
import type { RunStatus } from '#core/run/status.ts'
import type { Severity } from '#core/trigger/alert.ts'
import type { Db } from '../db.ts'
import type { AnswerRow } from '../runs/run-answers.ts'
import type { TenantDb } from '../tenant-db.ts'
import { hasPart, requesterText } from '../text-search.ts'
import type { AnsweredGate } from './gate-decisions.ts'
import { answeredGate, contributorsIn } from './vote-columns.ts'

export interface OpenGateView extends GatePeople {
  run_id: string
  status: RunStatus
  gate_id: string | null
  environment_class: EnvironmentClass
  kind: GateKind
  step: string
  opened_at: string
  expires_at: string
  plan_hash: string
  required: Required
  asked_at: string
  answers: AnswerRow[]
  /** the view that was written when the gate opened */
  view: JsonObject
  spent_micro_usd: number
  reserved_micro_usd: number
  cap_micro_usd: number
  decisions: {
    decision_id: string
    by: string
    via: string | null
    decision: Decision
    at: string
    channel: string
    note: string | null
  }[]
  remarks: RemarkRow[]
}

/** Somebody looks at a gate (`text` is null) or has commented on it. */
export interface RemarkRow {
  by: string
  name: string
  at: string
  text: string | null
}

export interface GatePeople {
  provenance: JsonObject
  /** users among the requesters and voters */
  people: { id: string; display: string; email: string }[]
}

/** A filter of the open gates of a workspace. */
export interface GateFilter {
  pack?: string | undefined
  template?: string | undefined
  environment?: string | undefined
  risk?: Risk | undefined
  /** in the ids, the template, the reason, the fingerprint, the environment, the summary, the evidence or the requester; upper and lower case are equal */
  q?: string | undefined
}

interface Place {
  position: string
  id: string
  rank?: number
}

/** An open gate with the facts that decide who may answer it. */
export interface GateInQueue extends Place, AnsweredGate {
  environment: string
  action_type: string | null
}

/** An open gate in a list. */
export interface QueuedGateView extends GatePeople {
  run_id: string
  gate_id: string
  kind: GateKind
  step: string
  opened_at: string
  expires_at: string
  plan_hash: string
  pack: string
  template: string
  environment: string
  environment_class: EnvironmentClass
  reason: string | null
  /** what started its run */
  trigger: string | null
  alert: { title: string; severity: Severity; service: string } | null
  remarks: RemarkRow[]
  /** how many comments it has, and the newest, cut; null without any */
  commented: { count: number; newest: RemarkRow & { text: string } } | null
  /** parts of the view from the gate's opening */
  shown: {
    summary: string
    command: string | null
    because: string[]
    action_type: string
    risk: Risk
    targets: number | null
    evidence: { title: string; excerpt: string }[]
  }
}

/** characters of a command in a list */
const MAX_COMMAND = 1_000
/** characters of a comment in a list */
const MAX_COMMENT = 300
/** findings in a list, and characters of each */
const MAX_EVIDENCE = 3
const MAX_EXCERPT = 200
/** hexadecimal digits that tell longer ones apart */
const DIGEST_CHARS = 12

type Fragment = ReturnType<Db>

/** Reads of open gates. */
export function createApprovalViews(tenants: TenantDb) {
  // commands that differ beyond it stay different: equal ones are answered together
  const shortCommand = (db: Db) => db`
    (select case when length(command) <= ${MAX_COMMAND} then command
       else left(command, ${MAX_COMMAND}) || '… (' || length(command) || ' characters, sha256 '
         || left(encode(sha256(convert_to(command, 'UTF8')), 'hex'), ${DIGEST_CHARS}) || ')' end
     from (select g.view #>> '{plan,command}' as command) c)`
  const short = (db: Db, text: Fragment, most: number): Fragment => db`
    (case when length(${text}) <= ${most} then ${text} else left(${text}, ${most}) || '…' end)`
  const shortEvidence = (db: Db) => db`
    (select coalesce(jsonb_agg(jsonb_build_object('title', found -> 'title', 'excerpt', ${short(db, db`found ->> 'excerpt'`, MAX_EXCERPT)}) order by n), '[]')
     from jsonb_path_query(g.view, '$.evidence[*]') with ordinality as findings (found, n)
     where n <= ${MAX_EVIDENCE} and found ->> 'excerpt' <> '')`
  const people = (db: Db) => db`
    (select coalesce(json_agg(json_build_object('id', u.id, 'display', coalesce(u.display_name, u.email), 'email', u.email)
       order by u.id), '[]')
     from users u where u.id in (r.provenance #>> '{actor,id}', r.provenance #>> '{human_root,user_id}')
       or u.id in (select c ->> 'id' from jsonb_array_elements(r.provenance -> 'contributors') c)
       or u.id in (select unnest(array[d.decided_by, d.via]) from gate_decisions d where d.gate_id = g.id)
       or u.email in (select d.decided_by from gate_decisions d where d.gate_id = g.id)) as people`

  // of an open gate they come after the event of its opening, and nothing else of the run does but its votes
  const remarkEvents = (db: Db, types: string[]) => db`
    from run_events e where e.run_id = g.run_id and e.type = any(${types}::text[]) and e.data ->> 'gate_id' = g.id
      and e.seq > coalesce((select o.seq from run_events o where o.run_id = g.run_id and o.event_key = 'gate/' || g.id || '/opened'), 0)`
  const remark = (db: Db, text: Fragment) => db`
    jsonb_build_object('by', e.actor ->> 'id', 'name', e.actor ->> 'display', 'at', e.ts, 'text', ${text})`
  const remarks = (db: Db, types: string[] = ['gate.acknowledged', 'gate.commented']) => db`
    (select coalesce(jsonb_agg(${remark(db, db`case e.type when 'gate.commented' then e.data ->> 'text' end`)} order by e.seq), '[]')
     ${remarkEvents(db, types)}) as remarks`
  const commented = (db: Db) => db`
    (select jsonb_build_object('count', count(*) over (), 'newest', ${remark(db, short(db, db`e.data ->> 'text'`, MAX_COMMENT))})
     ${remarkEvents(db, ['gate.commented'])} order by e.seq desc limit 1) as commented`

  return {
    /** What was said about a gate, in order. */
    async remarks(workspaceId: string, gateId: string): Promise<RemarkRow[]> {
      const [row] = await tenants.in(
        workspaceId,
        (db) => db<{ remarks: RemarkRow[] }[]>`
        select ${remarks(db)} from gates g where g.id = ${gateId} and g.workspace_id = ${workspaceId}`,
      )
      return row?.remarks ?? []
    },

    /** The run with its open gate, if it has one; undefined for a foreign or unknown run. */
    async findOpen(workspaceId: string, runId: string): Promise<OpenGateView | undefined> {
      const [row] = await tenants.in(
        workspaceId,
        (db) => db<OpenGateView[]>`
        select r.id as run_id, r.status, r.environment_class, r.cap_micro_usd, r.reserved_micro_usd,
          r.llm_micro_usd + r.gpu_micro_usd + r.storage_micro_usd as spent_micro_usd,
          r.provenance, ${answeredGate(db)}, g.kind, g.step_id as step, g.opened_at, g.expires_at, g.view,
          (select coalesce(jsonb_agg(jsonb_build_object('decision_id', d.decision_id, 'by', d.decided_by, 'via', d.via,
             'decision', d.decision, 'at', d.decided_at, 'channel', d.channel, 'note', d.note) order by d.decided_at), '[]')
           from gate_decisions d where d.gate_id = g.id) as decisions,
          ${people(db)}, ${remarks(db)}
        from runs r left join gates g on g.run_id = r.id and g.status = 'open'
        where r.id = ${runId} and r.workspace_id = ${workspaceId}`,
      )
      return row
    },

    /** Open gates that fit: critical alerts first, then high ones, and what expires first among these. */
    async queue(
      workspaceId: string,
      filter: GateFilter,
      { limit, after }: { limit: number; after?: Place | undefined },
    ): Promise<GateInQueue[]> {
      return tenants.in(
        workspaceId,
        (db) => db<GateInQueue[]>`
        select g.id, ${urgency(db)} as rank, g.expires_at::text as position, g.run_id, r.environment, g.view #>> '{operation,action_type}' as action_type,
          ${contributorsIn(db)},
          ${answeredGate(db)}
        from gates g join runs r on r.id = g.run_id
        where g.workspace_id = ${workspaceId} and g.status = 'open' and r.status = 'awaiting_approval' ${fits(db, filter)}
          ${after === undefined ? db`` : db`and (${urgency(db)}, g.expires_at, g.id) > (${after.rank ?? LEAST_URGENT}::int, ${after.position}::timestamptz, ${after.id}::text)`}
        order by ${urgency(db)}, g.expires_at, g.id limit ${limit}`,
      )
    },

    /** Counts the matches, up to `up_to`. */
    async countQueue(workspaceId: string, filter: GateFilter, up_to: number): Promise<number> {
      const [row] = await tenants.in(
        workspaceId,
        (db) => db<{ count: number }[]>`
        select count(*) as count from (
          select from gates g join runs r on r.id = g.run_id
          where g.workspace_id = ${workspaceId} and g.status = 'open' and r.status = 'awaiting_approval' ${fits(db, filter)}
          limit ${up_to}) counted`,
      )
      return row?.count ?? 0
    },

    /** Returns those of these gates that are still open. */
    async queued(workspaceId: string, gateIds: string[]): Promise<QueuedGateView[]> {
      if (gateIds.length === 0) return []
      return tenants.in(
        workspaceId,
        (db) => db<QueuedGateView[]>`
        select g.run_id, g.id as gate_id, g.kind, g.step_id as step, g.opened_at, g.expires_at, g.plan_hash,
          r.pack, r.template, r.environment, r.environment_class, r.reason, r.trigger_type as trigger, r.provenance,
          (select jsonb_build_object('title', t.alert -> 'title', 'severity', t.alert -> 'severity', 'service', t.alert -> 'service')
           from run_trigger_alerts t where t.run_id = r.id) as alert,
          jsonb_build_object('summary', g.view #> '{plan,summary}', 'command', ${shortCommand(db)}, 'because', g.view -> 'because', 'risk', g.view #> '{operation,risk}',
            'action_type', g.view #> '{operation,action_type}', 'targets', g.view #> '{operation,targets,count}', 'evidence', ${shortEvidence(db)}) as shown,
          ${people(db)}, ${remarks(db, ['gate.acknowledged'])}, ${commented(db)}
        from gates g join runs r on r.id = g.run_id
        where g.id = any(${gateIds}::text[]) and g.workspace_id = ${workspaceId} and g.status = 'open'`,
      )
    },
  }
}

/** The place of a gate by the alert of its run: 0 for a critical one, 1 for a high one, 2 for everything else. */
const urgency = (db: Db) =>
  db`case (select alert ->> 'severity' from run_trigger_alerts where run_id = g.run_id) when 'critical' then 0 when 'high' then 1 else 2 end`
const LEAST_URGENT = 2

/** All that the steps before have found: the view, which has it, is read for the summary as well. */
const foundText = (db: Db) =>
  db`(select string_agg(found ->> 'excerpt', ' ') from jsonb_path_query(g.view, '$.evidence[*]') found)`

function fits(db: Db, { pack, template, environment, risk, q }: GateFilter) {
  return db`
    ${pack === undefined ? db`` : db`and r.pack = ${pack}`} ${template === undefined ? db`` : db`and r.template = ${template}`}
    ${environment === undefined ? db`` : db`and r.environment = ${environment}`}
    ${risk === undefined ? db`` : db`and g.view #>> '{operation,risk}' = ${risk}`}
    ${q === undefined ? db`` : db`and ${hasPart(db, db`concat_ws(' ', g.id, r.id, r.pack || '/' || r.template, r.reason, r.fingerprint, r.environment, g.view #>> '{plan,summary}', ${foundText(db)}, ${requesterText(db)})`, q)}`}`
}

export type ApprovalViews = ReturnType<typeof createApprovalViews>
