import type { AuditDraft } from '#core/audit/types.ts'
import { coalesced } from '#core/coalesced.ts'
import type { Lane } from '#core/contract.ts'
import { DomainError } from '#core/errors.ts'
import type { ClaimKind, GateStatus, Required } from '#core/gate/types.ts'
import type { JsonObject } from '#core/json/json.ts'
import type { EventDraft } from '#core/run/event.ts'
import type { GatePatch, RecordedResolution } from '#core/run/patch.ts'
import type { RunStatus } from '#core/run/status.ts'
import { DAY_MS } from '#core/time/time.ts'
import { asJson, type Db } from '../db.ts'
import type { AnswerRow, GateRecorded } from '../runs/run-answers.ts'
import type { UserRow } from '../users.ts'
import { answeredGate } from './vote-columns.ts'

/** A gate with what its votes are counted from. */
export interface AnsweredGate {
  gate_id: string
  run_id: string
  plan_hash: string
  required: Required
  provenance: JsonObject
  /** time of its run's request, by the database clock */
  asked_at: string
  /** recorded votes, counted or not */
  answers: AnswerRow[]
}

/** A gate with everything that its resolution is counted from. */
export interface GateState extends AnsweredGate {
  step_id: string
  status: GateStatus
  resolution: RecordedResolution | null
  resolved_at: string | null
  /** the first gate of its run */
  first: boolean
  /** digests of what approvers were shown as evidence */
  evidence: string[]
}

/** Something said about an open gate that is no vote. */
export interface GateRemark {
  run_id: string
  gate_id: string
  workspace_id: string
  event: EventDraft
  audit: AuditDraft
  /** most of its type on one gate */
  most: number
}

/** A run that a halt holds waits until it is woken, and also polls rarely. */
const HALT_POLL_MS = DAY_MS

export interface RunState {
  workspace_id: string
  lane: Lane
  status: RunStatus
  /** the gate that is open */
  gate_id: string | null
  /** delay of its next step, or of one that an external worker is at; a day where a halt holds it, which ends earlier with the halt */
  delay_ms: number
}

export type VoterRow = Pick<
  UserRow,
  | 'id'
  | 'email'
  | 'status'
  | 'roles'
  | 'approval_roles'
  | 'scopes'
  | 'workspaces'
  | 'delegate_to'
  | 'answering_accounts'
  | 'changed_by'
> & { version: string }

/** Gates for their one writer, and for callers that wait for it. */
export function createGateDecisions(db: Db) {
  const read = coalesced(async (gateId: string): Promise<GateState | undefined> => {
    const [row] = await db<GateState[]>`
      select ${answeredGate(db)}, g.run_id, g.step_id, g.status, g.resolution, g.resolved_at, r.provenance,
        not exists (select from gates e where e.run_id = g.run_id and e.opened_at < g.opened_at) as first,
        jsonb_path_query_array(g.view, '$.evidence[*].digest') as evidence
      from gates g join runs r on r.id = g.run_id where g.id = ${gateId}`
    return row
  })

  const voters = coalesced(async (names: string): Promise<VoterRow[]> => {
    const all: string[] = JSON.parse(names)
    return db<VoterRow[]>`
      select id, email, status, roles, approval_roles, scopes, workspaces, delegate_to, answering_accounts, changed_by,
        id || '/' || xmin as version
      from users where id = any(${all}::text[]) or email = any(${all}::text[]) order by id`
  })

  return {
    /** Undefined for an unknown gate. Concurrent callers share a read that began after all of them had called. */
    read,

    /** Returns the gate of the run that this decision was about, if it is recorded. */
    async decidedAs(runId: string, decisionId: string): Promise<string | undefined> {
      const [gate] = await db<{ id: string }[]>`
        select id from gates g where run_id = ${runId} and (resolution ->> 'decision_id' = ${decisionId}
          or exists (select from gate_decisions d where d.gate_id = g.id and d.decision_id = ${decisionId}))
        order by opened_at limit 1`
      return gate?.id
    },

    /** Undefined for an unknown run. */
    async runState(runId: string): Promise<RunState | undefined> {
      const [row] = await db<RunState[]>`
        select workspace_id, lane, status, (select id from gates where run_id = r.id and status = 'open') as gate_id,
          greatest(
            (select greatest(0, ceil(extract(epoch from max((outputs ->> 'until')::timestamptz) - clock_timestamp()) * 1000))
             from run_steps where run_id = r.id and state = 'ready' and r.status = 'running'),
            (select greatest(0, ceil(extract(epoch from max(j.deadline) - clock_timestamp()) * 1000))
             from remote_jobs j join run_steps s using (run_id, step_id, attempt)
             where run_id = r.id and s.state = 'running' and j.ended_at is null and r.status = 'running'),
            case when r.status = 'running' and r.status_reason = 'halted' and is_held(r) then ${HALT_POLL_MS}::float8 else 0 end)::float8 as delay_ms
        from runs r where id = ${runId}`
      return row
    },

    /** Returns the users among these ids and mail addresses, in the order of their ids. */
    voters: (names: string[]): Promise<VoterRow[]> => voters(JSON.stringify(names.toSorted())),

    /** `changed` when the record differs from what was counted; nothing was written then. */
    async resolve(patch: GatePatch): Promise<GateRecorded> {
      const [row] = await db<{ recorded: GateRecorded }[]>`select resolve_gate(${db.json(asJson(patch))}) as recorded`
      if (!row) throw new DomainError('internal', 'resolve_gate answered no row')
      return row.recorded
    },

    /** Records something that is no vote on an open gate; returns why it was refused. */
    async remark(remark: GateRemark): Promise<'not_found' | 'gate_resolved' | 'full' | undefined> {
      const [row] = await db<{ refused: 'not_found' | 'gate_resolved' | 'full' | null }[]>`
        select remark_on_gate(${db.json(asJson(remark))}) as refused`
      return row?.refused ?? undefined
    },

    /** Counts claims that the record does not bear out; their audit record is folded with others like it. */
    async refuse(kind: ClaimKind, draft: AuditDraft, count: number): Promise<void> {
      await db`
        select refuse_claim(${kind}, ${draft.subject.id}, ${draft.workspace_id}, ${db.json(asJson(draft))}, ${count})`
    },
  }
}

export type GateDecisions = ReturnType<typeof createGateDecisions>
