import postgres from 'postgres'
import type { AuditDraft } from '#core/audit/types.ts'
import type { Lane } from '#core/contract.ts'
import { DomainError } from '#core/errors.ts'
import type { GateStatus } from '#core/gate/types.ts'
import type { Plan } from '#core/plan/types.ts'
import type { EventDraft } from '#core/run/event.ts'
import { asJson } from './as-json.ts'
import { coalesced } from './coalesced.ts'
import type { Db } from './db.ts'
import type {
  Admitted,
  AttachWish,
  Decidable,
  GatePatch,
  GateRecorded,
  OutboxEntry,
  Recorded,
  Refusal,
  RunDraft,
  RunHead,
  RunPatch,
  Taken,
  Throttled,
} from './run-records.ts'
import { type TenantDb, unscoped } from './tenant-db.ts'
import { unlessStuck } from './unless-stuck.ts'

/** Raised by record_run when a reservation does not fit; nothing of that statement has happened. */
const OVER_BUDGET = 'SVC01'

/** Everything that writes a run. Each verb is one statement, so one short transaction. */
export function createRunStore(db: Db, tenants: TenantDb = unscoped(db)) {
  async function takenBy<Refused extends { refused: string }>(
    runId: string,
    written: postgres.PendingQuery<postgres.Row[]>,
  ): Promise<Taken | Refused | { refused: 'not_found' }> {
    const [row] = await db<({ recorded: Recorded | Refused } & RunHead)[]>`
      with taken as materialized (${written})
      select taken.recorded, r.id, r.workspace_id, r.status, r.pack, r.template, r.lane, r.environment, r.environment_class,
        r.profile, r.dry_run, r.inputs, (select sealed from run_secrets where run_id = r.id) as sealed, r.reason, r.provenance, r.cap_micro_usd, r.reserved_micro_usd,
        r.llm_micro_usd + r.gpu_micro_usd + r.storage_micro_usd as spent_micro_usd,
        (select coalesce(jsonb_agg(jsonb_build_object('step_id', s.step_id, 'state', s.state, 'attempt', s.attempt,
           'outputs', s.outputs, 'error', s.error, 'plan_hash', s.plan_hash, 'simulation', s.simulation, 'ended_at', s.ended_at) order by s.ordinal), '[]')
         from run_steps s where s.run_id = r.id) as steps,
        (select coalesce(jsonb_agg(jsonb_build_object('id', g.id, 'step_id', g.step_id, 'kind', g.kind, 'status', g.status,
           'plan_hash', g.plan_hash, 'required', g.required, 'opened_at', g.opened_at, 'expires_at', g.expires_at, 'votes', ${votesOf(db)}) order by g.opened_at), '[]')
         from gates g where g.run_id = r.id) as gates
      from taken, runs r where r.id = ${runId}`
    if (!row) return { refused: 'not_found' }
    const { recorded, ...head } = row
    return isRefused(recorded) ? recorded : { recorded, head }
  }

  const readDecidable = coalesced(async (key: `${string}/${string}`): Promise<Decidable | undefined> => {
    const [workspaceId = '', runId = ''] = key.split('/')
    const [row] = await tenants.in(
      workspaceId,
      (db) => db<Decidable[]>`
        select r.id as run_id, r.workspace_id, r.status, r.lane, r.environment, g.view #>> '{operation,action_type}' as action_type,
          r.provenance, g.id as gate_id, g.step_id, g.status as gate_status, g.plan_hash, g.required, g.resolution,
          g.resolved_at, g.expires_at, ${votesOf(db)} as votes
        from runs r left join lateral (select * from gates where run_id = r.id order by opened_at desc limit 1) g on true
        where r.id = ${runId} and r.workspace_id = ${workspaceId}`,
    )
    return row
  })

  return {
    /** Starts or folds a batch, or holds it back. `dependency_unavailable`: somebody holds a row, and nothing has happened. */
    async admit(drafts: RunDraft[]): Promise<(Admitted | Throttled)[]> {
      const [row] = await unlessStuck(
        db<{ admitted: (Admitted | Throttled)[] | null }[]>`select admit_runs(${db.json(asJson(drafts))}) as admitted`,
      )
      return row?.admitted ?? []
    },

    /** Folds alerts onto active runs, in order; null where none is active. The caller sorts by fingerprint. */
    async attach(wishes: AttachWish[]): Promise<(Admitted | null)[]> {
      const [row] = await unlessStuck(
        db<{ attached: (Admitted | null)[] | null }[]>`select attach_alerts(${db.json(asJson(wishes))}) as attached`,
      )
      return row?.attached ?? []
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

    /** The way to a parked gate, for whoever decides it; undefined for a foreign or unknown run. A thousand hands share a read. */
    findDecidable: (workspaceId: string, runId: string): Promise<Decidable | undefined> =>
      readDecidable(`${workspaceId}/${runId}`),

    /** Runs whose workflow has not begun some time after they were admitted, and that nobody holds, with all that starts it. */
    async findUnstarted(
      olderThanMs: number,
      limit: number,
    ): Promise<{ run_id: string; workspace_id: string; lane: Lane; plan: Plan }[]> {
      return db`
        select r.id as run_id, r.workspace_id, r.lane, p.plan
        from start_outbox o join runs r on r.id = o.run_id join plans p on p.digest = r.plan_digest
        where greatest(o.created_at + ${olderThanMs} * interval '1 millisecond', o.held_until) < now()
        order by o.created_at limit ${limit}`
    },

    /** Keeps these starts from being taken for lost, for so long from now. */
    async holdStarts(runIds: string[], forMs: number): Promise<void> {
      await db`
        update start_outbox set held_until = now() + ${forMs} * interval '1 millisecond'
        where run_id = any(${runIds}::text[])`
    },

    async markStarted(runIds: string[]): Promise<void> {
      await db`delete from start_outbox where run_id in ${db(runIds)}`
    },
  }
}

/** The votes on the gate `g` while it is open. */
function votesOf(db: Db) {
  return db`(select coalesce(jsonb_agg(jsonb_build_object('by', d.decided_by, 'decision', d.decision, 'roles', d.roles,
    'asserted', d.asserted, 'delegations', d.delegations) order by d.decided_at), '[]')
    from gate_decisions d where d.gate_id = g.id and g.status = 'open')`
}

export type RunStore = ReturnType<typeof createRunStore>

function isRefused<Refused extends { refused: string }>(answer: Recorded | Refused): answer is Refused {
  return 'refused' in answer
}
