import postgres from 'postgres'
import type { AuditDraft } from '#core/audit/types.ts'
import type { Lane } from '#core/contract.ts'
import { DomainError } from '#core/errors.ts'
import type { GateStatus, Required } from '#core/gate/types.ts'
import type { JsonObject } from '#core/json.ts'
import type { Plan } from '#core/plan/types.ts'
import type { Risk } from '#core/policy/types.ts'
import type { EventDraft } from '#core/run/event.ts'
import type { RunStatus, StepState } from '#core/run/status.ts'
import type { Db } from './db.ts'

/** Raised by record_run when a reservation does not fit; nothing of that statement has happened. */
const OVER_BUDGET = 'SVC01'

/** A run about to be admitted; drafts with the same fingerprint in one call are refused, the caller folds them. */
export interface RunDraft {
  id: string
  workspace_id: string
  pack: string
  template: string
  template_version: string
  template_digest: string
  plan_digest: string
  /** absent when this process has stored the plan before */
  plan?: Plan
  lane: Lane
  environment: string
  environment_class: string
  profile: string
  config_preset: string | null
  sandbox: boolean
  dry_run: boolean
  risk: Risk
  action_types: string[]
  capabilities: string[]
  inputs: JsonObject
  inputs_hash: string
  reason: string | null
  labels: JsonObject
  provenance: JsonObject
  fingerprint: string | null
  alerts: { delivery_id: string; member: string }[]
  cap_micro_usd: number
  actor: JsonObject
  audit: AuditDraft
}

export interface Admitted {
  run_id: string
  started: boolean
  status: RunStatus
  attached_count: number
}

/** What an executing leg needs to know of its run. */
export interface RunHead {
  id: string
  workspace_id: string
  status: RunStatus
  pack: string
  template: string
  lane: Lane
  environment: string
  environment_class: string
  profile: string
  dry_run: boolean
  inputs: JsonObject
  reason: string | null
  provenance: JsonObject
  cap_micro_usd: number
  spent_micro_usd: number
  reserved_micro_usd: number
  steps: StepRecord[]
  gates: GateRecord[]
}

export interface StepRecord {
  step_id: string
  state: StepState
  attempt: number
  outputs: JsonObject | null
  error: JsonObject | null
  plan_hash: string | null
  simulation: JsonObject | null
  ended_at: string | null
}

export interface GateRecord {
  id: string
  step_id: string
  kind: 'approval' | 'outcome_unknown'
  status: GateStatus
  plan_hash: string
  required: Required
  expires_at: string
}

/** One transition of a run, written as one statement. */
export interface RunPatch {
  run_id: string
  fence?: number
  take_fence?: boolean
  /** for what must be noted whoever holds the fence */
  any_fence?: boolean
  settle?: StepSettlement
  open?: StepOpening
  gate?: GateOpening
  run?: { status: RunStatus; status_reason?: string; outputs?: JsonObject; error?: JsonObject }
  events?: EventDraft[]
  audit?: AuditDraft[]
}

export interface StepSettlement {
  step_id: string
  ordinal: number
  state: StepState
  attempt: number
  outputs?: JsonObject
  error?: JsonObject
  simulation?: JsonObject
  message?: string
  llm_micro_usd?: number
  gpu_micro_usd?: number
  storage_micro_usd?: number
  overrun_micro_usd?: number
  artifacts?: {
    id: string
    name: string
    media_type: string
    size_bytes: number
    digest: string
    body_base64: string
  }[]
}

export interface StepOpening {
  step_id: string
  ordinal: number
  attempt: number
  plan_hash: string
  simulation?: JsonObject
  reserve_micro_usd: number
  daily_cap_micro_usd?: number
  budget_day?: string
}

export interface GateOpening {
  id: string
  step_id: string
  ordinal: number
  attempt: number
  kind: 'approval' | 'outcome_unknown'
  plan_hash: string
  required: Required
  view: JsonObject
  expires_at: string
  simulation?: JsonObject
}

export interface Recorded {
  fence: number
  last_seq: number
  status: RunStatus
  audit: OutboxEntry[]
}

export interface OutboxEntry {
  outbox_id: number
  draft_id: string
}

export type Refusal =
  | { refused: 'not_found' | 'fenced' | 'cancelling' }
  | { refused: 'terminal'; status: RunStatus }
  | { refused: 'budget'; scope: 'run' | 'environment'; cap_micro_usd: number; spent_micro_usd?: number }

export interface GatePatch {
  run_id: string
  gate_id: string
  vote?: {
    decision_id: string
    by: string
    decision: 'approve' | 'reject'
    note: string | null
    channel: string
    asserted: boolean
  }
  resolution?: Exclude<GateStatus, 'open'>
  resolved?: JsonObject
  run?: { status: RunStatus; status_reason?: string; error?: JsonObject }
  events: EventDraft[]
  audit: AuditDraft[]
}

export type GateRecorded =
  | (Recorded & { resolved_at: string | null })
  | { refused: 'resolved'; status: GateStatus; resolved_at: string; resolution: JsonObject }
  | { refused: 'not_found' | 'terminal' }

/** Everything that writes a run. Each verb is one statement, so one short transaction. */
export function createRunStore(db: Db) {
  async function takenBy<Refused extends { refused: string }>(
    runId: string,
    written: postgres.PendingQuery<postgres.Row[]>,
  ): Promise<Taken | Refused | { refused: 'not_found' }> {
    const [row] = await db<({ recorded: Recorded | Refused } & RunHead)[]>`
      with taken as materialized (${written})
      select taken.recorded, r.id, r.workspace_id, r.status, r.pack, r.template, r.lane, r.environment, r.environment_class,
        r.profile, r.dry_run, r.inputs, r.reason, r.provenance, r.cap_micro_usd, r.reserved_micro_usd,
        r.llm_micro_usd + r.gpu_micro_usd + r.storage_micro_usd as spent_micro_usd,
        (select coalesce(jsonb_agg(jsonb_build_object('step_id', s.step_id, 'state', s.state, 'attempt', s.attempt,
           'outputs', s.outputs, 'error', s.error, 'plan_hash', s.plan_hash, 'simulation', s.simulation, 'ended_at', s.ended_at) order by s.ordinal), '[]')
         from run_steps s where s.run_id = r.id) as steps,
        (select coalesce(jsonb_agg(jsonb_build_object('id', g.id, 'step_id', g.step_id, 'kind', g.kind, 'status', g.status,
           'plan_hash', g.plan_hash, 'required', g.required, 'expires_at', g.expires_at) order by g.opened_at), '[]')
         from gates g where g.run_id = r.id) as gates
      from taken, runs r where r.id = ${runId}`
    if (!row) return { refused: 'not_found' }
    const { recorded, ...head } = row
    return isRefused(recorded) ? recorded : { recorded, head }
  }

  return {
    async admit(drafts: RunDraft[]): Promise<Admitted[]> {
      const [row] = await db<{ admitted: Admitted[] }[]>`select admit_runs(${db.json(asJson(drafts))}) as admitted`
      return row?.admitted ?? []
    },

    async record(patch: RunPatch): Promise<Recorded | Refusal> {
      try {
        const [row] = await db<
          { recorded: Recorded | Refusal }[]
        >`select record_run(${db.json(asJson(patch))}) as recorded`
        if (!row) throw new DomainError('internal', 'record_run answered no row')
        return row.recorded
      } catch (error) {
        if (error instanceof postgres.PostgresError && error.code === OVER_BUDGET)
          return JSON.parse(error.message) as Refusal
        throw error
      }
    },

    /** Fences every earlier attempt out and answers with the run as it stands. */
    async take(runId: string, events: EventDraft[]): Promise<Taken | Refusal> {
      const patch: RunPatch = { run_id: runId, take_fence: true, run: { status: 'running' }, events }
      const written = db`select record_run(${db.json(asJson(patch))}) as recorded`
      return await takenBy<Refusal>(runId, written)
    },

    /** Takes the run with the decision that sets it going. When somebody has recorded one before, nothing changes here. */
    async takeDecided(patch: GatePatch): Promise<Taken | Exclude<GateRecorded, Recorded>> {
      const written = db`select resolve_gate(${db.json(asJson(patch))}) as recorded`
      const taken = await takenBy<Exclude<GateRecorded, Recorded>>(patch.run_id, written)
      if ('refused' in taken) return taken
      // the row was read as it stood before the decision
      const gates = taken.head.gates.map((gate) =>
        gate.id === patch.gate_id ? { ...gate, status: patch.resolution ?? gate.status } : gate,
      )
      const step_id = gates.find((gate) => gate.id === patch.gate_id)?.step_id
      const steps = taken.head.steps.map((step) =>
        step.step_id === step_id ? { ...step, state: 'ready' as const } : step,
      )
      return { ...taken, head: { ...taken.head, gates, steps } }
    },

    async resolveGate(patch: GatePatch): Promise<GateRecorded> {
      const [row] = await db<{ recorded: GateRecorded }[]>`select resolve_gate(${db.json(asJson(patch))}) as recorded`
      if (!row) throw new DomainError('internal', 'resolve_gate answered no row')
      return row.recorded
    },

    /** How a gate was resolved; undefined while it is open. */
    async findResolution(gateId: string): Promise<{ status: GateStatus; resolved_at: string } | undefined> {
      const [row] = await db<{ status: GateStatus; resolved_at: string }[]>`
        select status, resolved_at from gates where id = ${gateId} and resolved_at is not null`
      return row
    },

    /** Appends events to a run of which nothing else changes; undefined when there is no such run. */
    async appendEvents(runId: string, events: EventDraft[]): Promise<number | undefined> {
      const [row] = await db<
        { last_seq: number | null }[]
      >`select append_events(${runId}, ${db.json(asJson(events))}) as last_seq`
      return row?.last_seq ?? undefined
    },

    /** Puts audit drafts in line that belong to no other change (a refusal, for example). */
    async appendAudit(drafts: AuditDraft[]): Promise<OutboxEntry[]> {
      const [row] = await db<{ audit: OutboxEntry[] }[]>`select append_audit(${db.json(asJson(drafts))}) as audit`
      return row?.audit ?? []
    },

    /** The way to a parked gate, for whoever decides it; undefined for a foreign or unknown run. */
    async findDecidable(workspaceId: string, runId: string): Promise<Decidable | undefined> {
      const [row] = await db<Decidable[]>`
        select r.id as run_id, r.workspace_id, r.status, r.lane, r.provenance, g.id as gate_id, g.step_id,
          g.status as gate_status, g.plan_hash, g.required, g.resolution, g.resolved_at, g.expires_at
        from runs r left join lateral (select * from gates where run_id = r.id order by opened_at desc limit 1) g on true
        where r.id = ${runId} and r.workspace_id = ${workspaceId}`
      return row
    },

    /** Runs whose workflow has not begun some time after they were admitted, with all that is needed to start it. */
    async findUnstarted(
      olderThanMs: number,
      limit: number,
    ): Promise<{ run_id: string; workspace_id: string; lane: Lane; plan: Plan }[]> {
      return db`
        select r.id as run_id, r.workspace_id, r.lane, p.plan
        from start_outbox o join runs r on r.id = o.run_id join plans p on p.digest = r.plan_digest
        where o.created_at < now() - ${olderThanMs} * interval '1 millisecond'
        order by o.created_at limit ${limit}`
    },

    async markStarted(runIds: string[]): Promise<void> {
      await db`delete from start_outbox where run_id in ${db(runIds)}`
    },
  }
}

export type RunStore = ReturnType<typeof createRunStore>

export interface Decidable {
  run_id: string
  workspace_id: string
  status: RunStatus
  lane: Lane
  provenance: JsonObject
  gate_id: string | null
  step_id: string | null
  gate_status: GateStatus | null
  plan_hash: string | null
  required: Required | null
  resolution: JsonObject | null
  resolved_at: string | null
  expires_at: string | null
}

export interface Taken {
  recorded: Recorded
  head: RunHead
}

function isRefused<Refused extends { refused: string }>(answer: Recorded | Refused): answer is Refused {
  return 'refused' in answer
}

/** postgres.js asks for its own JSON type; ours are JSON by construction. */
function asJson(value: object): postgresJson {
  return value as postgresJson
}
type postgresJson = Parameters<Db['json']>[0]
